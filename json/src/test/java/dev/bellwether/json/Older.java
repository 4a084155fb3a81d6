// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.json;

import java.math.BigDecimal;
import java.util.List;

/** The same shapes, declared elsewhere and in another order. */
final class Older {
    record Price(BigDecimal amount, String sku) {}

    record Tree(String name, List<Tree> children) {}

    private Older() {}
}
