package dev.spream.storage.spanner.client;

import com.google.cloud.Timestamp;
import java.time.Instant;

/** Converts between the client's timestamps and instants; both are exact to the nanosecond. */
public final class Timestamps {
    private Timestamps() {}

    public static Instant toInstant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }

    public static Timestamp toTimestamp(Instant instant) {
        return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano());
    }
}
