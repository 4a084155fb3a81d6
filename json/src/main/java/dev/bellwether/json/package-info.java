// SPDX-License-Identifier: Apache-2.0
/** Codecs for records, sealed interfaces of records and the like; found by core without being named. */
@NullMarked
package dev.bellwether.json;

import org.jspecify.annotations.NullMarked;
