// SPDX-License-Identifier: Apache-2.0
@NullMarked
package dev.bellwether.testkit.model;

import org.jspecify.annotations.NullMarked;
