package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

/**
 * A changed row. The {@link ValueCaptureType} decides which columns are present; the two value objects have non-key
 * columns only. Values are in Spanner's JSON encoding: INT64 and NUMERIC as strings, BYTES as base64, a NULL as null.
 *
 * @param keys the primary key, by column
 * @param newValues values after the change; empty for a delete
 * @param oldValues values before the change; empty for an insert, and where they are not captured
 */
public record Mod(JsonObject keys, JsonObject newValues, JsonObject oldValues) {
    public Mod {
        requireNonNull(keys, "keys");
        requireNonNull(newValues, "newValues");
        requireNonNull(oldValues, "oldValues");
    }
}
