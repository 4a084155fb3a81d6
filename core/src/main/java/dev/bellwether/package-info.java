// SPDX-License-Identifier: Apache-2.0
/** One leads, the herd follows: memoizers, locks, queues and stores over one backend. */
@NullMarked
package dev.bellwether;

import org.jspecify.annotations.NullMarked;
