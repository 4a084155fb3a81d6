// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.bellwether.spi.Bytes;
import dev.bellwether.spi.KvKey;
import dev.bellwether.spi.Partition;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeysTest {
    private static String text(byte[] key) {
        return new String(key, StandardCharsets.ISO_8859_1);
    }

    @Test
    void aReadableNameIsReadableInTheKey() {
        assertThat(text(Keys.of(Keys.ENTRY, Redis.key("user:17/cart")))).isEqualTo("bw:v{user:17/cart}");
        KvKey other = new KvKey(new Partition(Redis.bytes("shop")), Redis.bytes("cart"));
        assertThat(text(Keys.of(Keys.ENTRY, other))).isEqualTo("bw:v{shop}cart");
    }

    @Test
    void everyNameComesBackAndKeepsItsHashTag() {
        Random random = new Random(1);
        for (int i = 0; i < 2_000; i++) {
            Bytes tag = some(random);
            Bytes name = random.nextBoolean() ? tag : some(random);
            byte[] key = Keys.of(Keys.HOLDS, new KvKey(new Partition(tag), name));
            Keys.Parsed parsed = Objects.requireNonNull(Keys.parse(key));
            assertThat(parsed.partition().tag()).isEqualTo(tag);
            assertThat(parsed.name()).isEqualTo(name);
            assertThat(text(key)).matches("bw:x\\{[!-z|~]+}[!-z|~]*");
        }
    }

    private static Bytes some(Random random) {
        byte[] bytes = new byte[1 + random.nextInt(12)];
        random.nextBytes(bytes);
        if (random.nextBoolean())
            for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) "a{}%: \n\0é".charAt(random.nextInt(9));
        return Bytes.of(bytes);
    }

    @Test
    void foreignKeysAreNotOurs() {
        for (String foreign : new String[] {"", "bw:", "bw:v", "bw:v{", "bw:v{}", "xx:v{a}", "other"}) {
            assertThat(Keys.parse(foreign.getBytes(StandardCharsets.ISO_8859_1)))
                    .isNull();
        }
    }
}
