package dev.spream.storage.jdbc;

import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Reads the partitions of a subscription, and removes those that are no longer needed. Each snapshot is one statement,
 * so it is consistent.
 *
 * <p>Rows are sorted here and not by the server, whose collation may order text differently.
 */
record PartitionTable(Database database, String subscription) {
    private static final Comparator<PartitionMetadata> LINEAGE_ORDER =
            Comparator.comparing(PartitionMetadata::startTimestamp).thenComparing(PartitionMetadata::token);

    private static final String LINEAGE = """
            SELECT clock.read_at, p.*
            FROM (SELECT clock_timestamp() AS read_at) AS clock
            LEFT JOIN @partitions p ON p.subscription = ? AND p.removed_at IS NULL""";

    private static final String PROOFS = "SELECT * FROM @partitions WHERE subscription = ? AND removed_at IS NOT NULL";

    private static final String CLEAN_UP = """
            WITH needed AS MATERIALIZED (
                SELECT DISTINCT %s AS token_hash
                FROM @partitions u, unnest(u.parent_tokens || u.move_in_sources) AS named
                WHERE u.subscription = ? AND u.state <> 'FINISHED'
            ), removable AS (
                SELECT p.token_hash FROM @partitions p
                WHERE p.subscription = ? AND p.removed_at IS NULL AND p.state = 'FINISHED' AND p.finished_at < ?
                    AND NOT EXISTS (SELECT FROM needed n WHERE n.token_hash = p.token_hash)
                ORDER BY p.token_hash FOR NO KEY UPDATE
            )
            UPDATE @partitions p SET removed_at = clock_timestamp(), owner = NULL
            FROM removable r WHERE p.subscription = ? AND p.token_hash = r.token_hash""".formatted(PartitionRow.hashOf("named"));

    /** Rows whose end the stream has told; the others are never forgotten. */
    private static final String TOLD = "p.token_hash <> %s AND p.end_kind IN ('CHILD_PARTITIONS', 'PARTITION_END')"
            .formatted(PartitionRow.hashOf("'%s'".formatted(PartitionToken.ROOT.value())));

    /** The number of proofs that are removed at once. */
    private static final int FORGOTTEN_AT_ONCE = 10_000;

    /** Forgets nothing if the record was written since the statement began, such as by a correction that removed all. */
    private static final String FORGET = """
            WITH stored AS MATERIALIZED (
                SELECT xmin AS version, forgotten_before FROM @subscriptions WHERE name = ?
            ), discovered AS MATERIALIZED (
                SELECT min(CASE WHEN gap_ends[cardinality(gap_ends)] = watermark
                    THEN gap_starts[1] ELSE watermark END) AS until
                FROM @partitions WHERE subscription = ? AND state <> 'FINISHED'
            ), forgotten AS MATERIALIZED (
                SELECT p.token_hash, p.end_timestamp FROM @partitions p, discovered
                WHERE p.subscription = ? AND p.removed_at IS NOT NULL AND p.finished_at < ?
                    AND %s AND p.end_timestamp < discovered.until
                ORDER BY p.finished_at LIMIT %d
            ), proven AS MATERIALIZED (
                SELECT greatest(stored.forgotten_before, told.last_end + 0.000000001) AS start
                FROM stored, (SELECT max(end_timestamp) AS last_end FROM forgotten) AS told
                WHERE told.last_end IS NOT NULL
            ), recorded AS (
                UPDATE @subscriptions s SET corrected_in = pg_current_xact_id(), -- looks do not find what is deleted
                    forgotten_before = proven.start, kept_partitions = (
                    SELECT count(*) FROM @partitions p WHERE p.subscription = s.name AND p.start_timestamp < proven.start
                        AND (%s AND p.end_timestamp < proven.start) IS NOT TRUE)
                FROM stored, proven WHERE s.name = ? AND s.xmin = stored.version
                RETURNING s.name
            )
            DELETE FROM @partitions p USING forgotten, recorded
            WHERE p.subscription = recorded.name AND p.token_hash = forgotten.token_hash AND p.removed_at IS NOT NULL""".formatted(TOLD, FORGOTTEN_AT_ONCE, TOLD);

    Lineage lineage() {
        return snapshot(database.rows(
                "reading the lineage of subscription '%s'".formatted(subscription),
                LINEAGE,
                p -> p.text(subscription),
                SnapshotRow::read));
    }

    /** Returns the lineage within a transaction. */
    Lineage lineage(Statements statements) throws SQLException {
        return snapshot(statements.rows(LINEAGE, p -> p.text(subscription), SnapshotRow::read));
    }

    static Lineage snapshot(List<SnapshotRow> rows) {
        return Lineage.of(
                rows.stream()
                        .flatMap(row -> row.partition().stream())
                        .sorted(LINEAGE_ORDER)
                        .toList(),
                rows.getFirst().readAt());
    }

    List<FinishedPartition> proofs() {
        return sorted(database.rows(
                "reading the proofs of subscription '%s'".formatted(subscription),
                PROOFS,
                p -> p.text(subscription),
                PartitionRow::proof));
    }

    /** Returns the proofs within a transaction. */
    List<FinishedPartition> proofs(Statements statements) throws SQLException {
        return sorted(statements.rows(PROOFS, p -> p.text(subscription), PartitionRow::proof));
    }

    private static List<FinishedPartition> sorted(List<FinishedPartition> proofs) {
        return proofs.stream()
                .sorted(Comparator.comparing(FinishedPartition::startTimestamp).thenComparing(FinishedPartition::token))
                .toList();
    }

    /**
     * Removes partitions without waiting for children that are being added concurrently: the insert of a child that is
     * being removed conflicts with its row, which stays; and a child that names a parent which is being removed, or a
     * move-in that names it as a source, could equally have been stored later.
     */
    int cleanUp(Instant finishedBefore) {
        return database.update(
                "cleaning up subscription '%s'".formatted(subscription),
                CLEAN_UP,
                p -> p.text(subscription)
                        .text(subscription)
                        .clock(JdbcTimestamps.clockCeiling(finishedBefore))
                        .text(subscription));
    }

    int forgetProofs(Instant finishedBefore) {
        return database.update(
                "forgetting proofs of subscription '%s'".formatted(subscription),
                FORGET,
                p -> p.text(subscription)
                        .text(subscription)
                        .text(subscription)
                        .clock(JdbcTimestamps.clockCeiling(finishedBefore))
                        .text(subscription));
    }

    /** A row of a snapshot; {@code readAt} is present even where there is no partition. */
    record SnapshotRow(Instant readAt, Optional<PartitionMetadata> partition) {
        static SnapshotRow read(ResultSet row) throws SQLException {
            Instant readAt = JdbcTimestamps.clock(row, "read_at");
            return new SnapshotRow(
                    readAt,
                    row.getString("token") == null
                            ? Optional.empty()
                            : Optional.of(PartitionRow.metadata(row, readAt)));
        }
    }
}
