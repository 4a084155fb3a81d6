// SPDX-License-Identifier: Apache-2.0
/** Contract suites, simulated time and faults, history checkers. */
module dev.bellwether.testkit {
    requires transitive dev.bellwether.core;
    requires transitive org.assertj.core;
    requires static transitive org.jspecify;
    requires transitive org.junit.jupiter.api;

    exports dev.bellwether.testkit;
    exports dev.bellwether.testkit.contract;
    exports dev.bellwether.testkit.model;

    opens dev.bellwether.testkit.contract;
}
