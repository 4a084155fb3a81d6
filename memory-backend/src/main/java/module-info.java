// SPDX-License-Identifier: Apache-2.0
/** {@code KvBackend} within one JVM. */
module dev.bellwether.memory {
    requires transitive dev.bellwether.core;
    requires static transitive org.jspecify;

    exports dev.bellwether.memory;
}
