package dev.spream.storage.jdbc.event;

import java.time.Duration;

/**
 * The barrier is shut: a transaction that has inserted is open.
 *
 * @param since when it was found so, by the JVM's nanosecond clock
 * @param given the last position that was given to anybody, a second or so ago
 */
record Shut(long since, long given) {
    /** How long that has been so. */
    Duration lasted() {
        return Duration.ofNanos(System.nanoTime() - since);
    }
}
