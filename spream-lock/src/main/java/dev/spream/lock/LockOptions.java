package dev.spream.lock;

import static dev.spream.core.internal.Bounds.requireBetween;
import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/** The options of {@link HierarchicalLocks}; its builder describes each option. */
record LockOptions(
        LockWait defaultWait,
        int attempts,
        List<LockListener> listeners,
        String process,
        String label,
        Duration reportInterval,
        Duration warnAfter,
        InstantSource clock) {
    static final int MAX_ATTEMPTS = 100;
    private static final int MAX_NAME = 200;

    LockOptions {
        requireNonNull(defaultWait, "defaultWait");
        requireNonNull(clock, "clock");
        listeners = List.copyOf(listeners);
        requireBetween("attempts", attempts, 1, MAX_ATTEMPTS);
        if (process.isBlank() || process.length() > MAX_NAME) {
            throw new IllegalArgumentException(
                    "process is '%s', must have 1 to %d characters".formatted(process, MAX_NAME));
        }
        if (label.length() > MAX_NAME) {
            throw new IllegalArgumentException(
                    "label is '%s', must have at most %d characters".formatted(label, MAX_NAME));
        }
        requireBetween("reportInterval", reportInterval, Duration.ofMillis(1), Duration.ofHours(1));
        requireBetween("warnAfter", warnAfter, Duration.ZERO, Duration.ofDays(365));
    }
}
