// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the classes have become in a later version of the program. */
final class Newer {
    record Price(String sku, BigDecimal amount, String currency) {}

    record Nested(
            Price price, List<Price> prices, Map<String, List<Price>> byShop, Set<Long> ids, Optional<Price> best) {}

    sealed interface Mail permits Welcome {}

    record Welcome(String to) implements Mail {}

    private Newer() {}
}
