package dev.spream.storage.jdbc;

import dev.spream.core.partition.ForgottenProofs;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Statements;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The record of a subscription. It is stored together with its root partition and outlives it. */
record SubscriptionTable(Database database, String name) {
    private static final String SELECT = "SELECT * FROM @subscriptions WHERE name = ?";

    private static final String NAMES = "SELECT name FROM @subscriptions";

    /** Of two concurrent calls, one waits for the other and stores nothing. */
    private static final String OPEN = """
            WITH opened AS (
                INSERT INTO @subscriptions
                    (name, stream_name, start_timestamp, end_timestamp, heartbeat_interval, partition_mode,
                     snapshot_query, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, clock_timestamp())
                ON CONFLICT DO NOTHING
                RETURNING name, start_timestamp, created_at
            )
            INSERT INTO @partitions
                (subscription, token_hash, token, parent_tokens, start_timestamp, watermark, state, created_at)
            SELECT name, %s, ?, '{}', start_timestamp, start_timestamp, 'CREATED', created_at
            FROM opened""".formatted(PartitionRow.hashOf("?"));

    /**
     * Completes the subscription if all partitions are finished. One read suffices: once all are finished they stay so,
     * because only a running partition adds children.
     */
    private static final String COMPLETE = """
            UPDATE @subscriptions s SET completed = true
            WHERE s.name = ? AND (s.completed OR NOT EXISTS (
                SELECT FROM @partitions p WHERE p.subscription = s.name AND p.state <> 'FINISHED'))""";

    private static final String LOCK = SELECT + " FOR UPDATE";

    private static final String CORRECT = """
            UPDATE @subscriptions SET
                start_timestamp = ?, end_timestamp = ?::numeric, completed = ?, snapshot_query = ?,
                forgotten_before = ?::numeric, kept_partitions = ?, corrected_in = pg_current_xact_id()
            WHERE name = ?""";

    static List<String> names(Database database) {
        return database.rows("listing subscriptions", NAMES, p -> {}, row -> row.getString("name")).stream()
                .sorted()
                .toList();
    }

    SubscriptionRecord open(SubscriptionRecord requested) {
        return find().orElseGet(() -> {
            store(requested);
            return find().orElseThrow(() ->
                    new IllegalStateException("subscription '%s' was removed while it was opened".formatted(name)));
        });
    }

    Optional<SubscriptionRecord> find() {
        return database.find(
                "reading subscription '%s'".formatted(name), SELECT, p -> p.text(name), SubscriptionTable::record);
    }

    Optional<Instant> createdAt() {
        return database.find(
                "reading subscription '%s'".formatted(name),
                SELECT,
                p -> p.text(name),
                row -> JdbcTimestamps.clock(row, "created_at"));
    }

    /** Returns the stored subscription, locked until the end of the transaction. */
    Optional<SubscriptionRecord> lock(Statements statements) throws SQLException {
        return statements.find(LOCK, p -> p.text(name), SubscriptionTable::record);
    }

    /** Stores what a correction may change. */
    void store(Statements statements, SubscriptionRecord corrected) throws SQLException {
        statements.update(
                CORRECT,
                p -> p.decimal(JdbcTimestamps.exact(corrected.startTimestamp()))
                        .decimal(corrected
                                .endTimestamp()
                                .map(JdbcTimestamps::exact)
                                .orElse(null))
                        .flag(corrected.completed())
                        .optionalText(corrected.snapshot().map(PartitionToken::value))
                        .decimal(corrected
                                .forgotten()
                                .map(ForgottenProofs::before)
                                .map(JdbcTimestamps::exact)
                                .orElse(null))
                        .number(corrected.forgotten().map(ForgottenProofs::kept).orElse(0))
                        .text(name));
    }

    boolean completeIfAllFinished() {
        return database.update("completing subscription '%s'".formatted(name), COMPLETE, p -> p.text(name)) == 1;
    }

    private void store(SubscriptionRecord requested) {
        String root = PartitionToken.ROOT.value();
        database.update(
                "opening subscription '%s'".formatted(name),
                OPEN,
                p -> p.text(name)
                        .text(requested.streamName())
                        .decimal(JdbcTimestamps.exact(requested.startTimestamp()))
                        .decimal(requested
                                .endTimestamp()
                                .map(JdbcTimestamps::exact)
                                .orElse(null))
                        .decimal(JdbcTimestamps.exact(requested.heartbeatInterval()))
                        .text(requested.partitionMode().name())
                        .optionalText(requested.snapshot().map(PartitionToken::value))
                        .text(root)
                        .text(root));
    }

    private static SubscriptionRecord record(ResultSet row) throws SQLException {
        @Nullable BigDecimal end = row.getBigDecimal("end_timestamp");
        @Nullable BigDecimal forgottenBefore = row.getBigDecimal("forgotten_before");
        int kept = row.getInt("kept_partitions");
        return new SubscriptionRecord(
                row.getString("stream_name"),
                PartitionRow.instant(row, "start_timestamp"),
                Optional.ofNullable(end).map(JdbcTimestamps::instant),
                JdbcTimestamps.duration(row.getBigDecimal("heartbeat_interval")),
                PartitionMode.valueOf(row.getString("partition_mode")),
                row.getBoolean("completed"),
                Optional.ofNullable(row.getString("snapshot_query")).map(PartitionToken::new),
                Optional.ofNullable(forgottenBefore)
                        .map(JdbcTimestamps::instant)
                        .map(before -> new ForgottenProofs(before, kept)));
    }
}
