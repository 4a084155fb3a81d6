// SPDX-License-Identifier: Apache-2.0
/** Codecs for records, sealed interfaces of records and the like, by Jackson. */
module dev.bellwether.json {
    requires transitive dev.bellwether.core;
    requires com.fasterxml.jackson.core;
    requires com.fasterxml.jackson.databind;
    requires static transitive org.jspecify;

    exports dev.bellwether.json;

    provides dev.bellwether.codec.CodecProvider with
            dev.bellwether.json.JsonCodecProvider;
}
