// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import java.time.Duration;

/**
 * How large things may be.
 *
 * @param maxValueBytes of one value or payload
 * @param maxCommitBytes of all values and payloads of one commit
 * @param maxOperations checks and mutations of one commit, each message counted
 * @param memory how long a committed request is remembered
 */
public record Limits(int maxValueBytes, long maxCommitBytes, int maxOperations, Duration memory) {}
