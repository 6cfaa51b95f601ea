package dev.spream.storage.spanner;

import com.google.cloud.Timestamp;
import java.time.Instant;

/** Converts between the client's timestamps and instants; both are exact to the nanosecond. */
final class Timestamps {
    private Timestamps() {}

    static Instant toInstant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }

    static Timestamp toTimestamp(Instant instant) {
        return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano());
    }
}
