package dev.spream.storage.spanner.client;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import java.time.Instant;

/** Instants for the client's timestamps and back; both are exact to the nanosecond. */
public final class Timestamps {
    private Timestamps() {}

    public static Instant toInstant(Timestamp timestamp) {
        return Instant.ofEpochSecond(timestamp.getSeconds(), timestamp.getNanos());
    }

    public static Timestamp toTimestamp(Instant instant) {
        return Timestamp.ofTimeSecondsAndNanos(instant.getEpochSecond(), instant.getNano());
    }

    /**
     * Spanner's current time. Leases are measured on it, and no emulator's read timestamps are it.
     *
     * @param context where it is asked for
     */
    public static Instant current(ReadContext context) {
        try (ResultSet row = context.executeQuery(Statement.of("SELECT CURRENT_TIMESTAMP"))) {
            row.next();
            return toInstant(row.getTimestamp(0));
        }
    }
}
