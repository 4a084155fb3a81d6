// SPDX-License-Identifier: Apache-2.0
/** What every service stands on: names, requests with a deadline, hints. Not exported. */
@NullMarked
package dev.bellwether.engine;

import org.jspecify.annotations.NullMarked;
