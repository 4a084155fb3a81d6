// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.bellwether.testkit.store;

import org.jspecify.annotations.NullMarked;
