package dev.spream.storage.spanner.client;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import java.time.Instant;

/** Converts between instants and the client's timestamps, exact to the nanosecond. */
public final class Timestamps {
    private Timestamps() {}

    public static Instant toInstant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }

    public static Timestamp toTimestamp(Instant instant) {
        return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano());
    }

    /**
     * Returns Spanner's current time, by which leases are measured. It is queried, because the read timestamps of
     * emulators differ from it.
     *
     * @param context the context of the query
     */
    public static Instant current(ReadContext context) {
        try (ResultSet row = context.executeQuery(Statement.of("SELECT CURRENT_TIMESTAMP"))) {
            row.next();
            return toInstant(row.getTimestamp(0));
        }
    }
}
