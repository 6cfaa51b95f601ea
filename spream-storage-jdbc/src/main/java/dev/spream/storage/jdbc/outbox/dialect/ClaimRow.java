package dev.spream.storage.jdbc.outbox.dialect;

import dev.spream.outbox.OutboxEntry;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * An entry in a row of a claiming statement, with the state that claims change.
 *
 * @param token of the last claim
 * @param attempts the number of attempts so far
 */
public record ClaimRow(OutboxEntry entry, long token, int attempts, boolean outcomeUnknown) {
    /** Reads a row whose columns have the names of the table, but for {@code payload}. */
    public static ClaimRow read(ResultSet row) throws SQLException {
        OutboxEntry entry = new OutboxEntry(
                row.getLong("id"),
                row.getString("idempotency_key"),
                row.getInt("generation"),
                row.getString("request_digest"),
                row.getString("payload"),
                Optional.ofNullable(row.getString("payload_type")),
                row.getString("destination"),
                Optional.ofNullable(row.getString("ordering_key")),
                Optional.ofNullable(row.getString("traceparent")),
                JdbcTimestamps.clock(row, "created_at"),
                JdbcTimestamps.optionalClock(row, "expires_at"));
        return new ClaimRow(
                entry, row.getLong("claim_token"), row.getInt("attempts"), row.getBoolean("outcome_unknown"));
    }
}
