package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

import java.time.Instant;

/**
 * A record of an idle partition: every change committed at or before the timestamp has been returned.
 *
 * @param timestamp the time up to which, inclusive, the partition has been read
 */
public record HeartbeatRecord(Instant timestamp) implements ChangeRecord {
    public HeartbeatRecord {
        requireNonNull(timestamp, "timestamp");
    }
}
