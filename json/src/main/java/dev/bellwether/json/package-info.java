// SPDX-License-Identifier: Apache-2.0
/** JSON by Jackson. Being on the path is enough: core finds it. */
@NullMarked
package dev.bellwether.json;

import org.jspecify.annotations.NullMarked;
