// SPDX-License-Identifier: Apache-2.0
/** A circuit breaker, a time limit and a bulkhead around any backend. Needs Resilience4j on the path. */
@NullMarked
package dev.bellwether.guard;

import org.jspecify.annotations.NullMarked;
