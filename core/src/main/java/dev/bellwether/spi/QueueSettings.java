// SPDX-License-Identifier: Apache-2.0
package dev.bellwether.spi;

import dev.bellwether.time.Durations;
import java.time.Duration;

/** What a queue does for everybody. Paused: nothing is handed out. Ageing: the waiting that one priority band costs. */
public record QueueSettings(boolean paused, Duration ageing) {
    public static final QueueSettings DEFAULT = new QueueSettings(false, Duration.ofSeconds(30));

    public QueueSettings {
        Durations.between("the ageing of a queue", ageing, Duration.ZERO, Duration.ofDays(1_000));
    }
}
