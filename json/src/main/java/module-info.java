// SPDX-License-Identifier: Apache-2.0
/** The JSON codec of Bellwether. */
module dev.bellwether.json {
    requires com.fasterxml.jackson.annotation;
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.databind;
    requires com.fasterxml.jackson.datatype.jdk8;
    requires com.fasterxml.jackson.datatype.jsr310;
    requires transitive dev.bellwether.core;
    requires static transitive org.jspecify;

    exports dev.bellwether.json;

    provides dev.bellwether.codec.CodecProvider with
            dev.bellwether.json.JsonCodecs;
}
