package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that tables of the version before are migrated without loss. */
final class PartitionMigrationIT {
    private static final WorkerId ANN = new WorkerId("ann");
    private static final PartitionToken A = new PartitionToken("a");
    private static final PartitionToken B = new PartitionToken("b");
    private static final PartitionToken C = new PartitionToken("c");

    private TestDatabase database;

    @BeforeEach
    void createTablesOfVersion1() {
        database = new TestDatabase();
        Flyway.configure()
                .dataSource(database.dataSource())
                .defaultSchema("spream")
                .table(JdbcPartitionStorage.TABLES.historyTable())
                .locations("classpath:" + JdbcPartitionStorage.TABLES.location())
                .target("1")
                .load()
                .migrate();
        database.execute("""
                INSERT INTO spream.subscriptions
                    (name, stream_name, start_timestamp, heartbeat_interval, partition_mode, created_at)
                VALUES ('orders', 'Orders', 1, 10, 'IMMUTABLE_KEY_RANGE', now())""", """
                INSERT INTO spream.partitions
                    (subscription, token_hash, token, parent_tokens, start_timestamp, watermark, state, epoch, owner, lease_until,
                    gap_starts, gap_ends, end_kind, end_timestamp, end_children, created_at, finished_at)
                SELECT 'orders', %s, token, parents::text[], 1, watermark, state, epoch, owner, until,
                    gap_starts::numeric[], gap_ends::numeric[], kind, ends_at, children::text[], now(), finished_at
                FROM (VALUES
                    ('a', '{}', 9.000000001, 'FINISHED', 2, 'ann', null::timestamptz, '{1}', '{2.000000001}',
                        'CHILD_PARTITIONS', 9, '{b,c}', now()),
                    ('b', '{a}', 9.000000002, 'RUNNING', 3, 'ann', now() + interval '1 hour', '{}', '{}',
                        null, null, null, null),
                    ('c', '{a}', 9, 'CREATED', 0, null, null, '{}', '{}', null, null, null, null)
                ) AS p(token, parents, watermark, state, epoch, owner, until, gap_starts, gap_ends,
                    kind, ends_at, children, finished_at)""".formatted(PartitionRow.hashOf("token")));
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void rows_are_kept_and_have_no_moves() throws SQLException {
        List<String> before = rows();

        try (JdbcPartitionStorage storage = JdbcPartitionStorage.create(database.dataSource(), "orders")) {
            assertThat(rows()).isEqualTo(before).hasSize(3);
            assertThat(storage.lineage().partitions())
                    .extracting(PartitionMetadata::token)
                    .containsExactly(A, B, C);
            assertThat(storage.lineage().partitions()).allSatisfy(partition -> {
                assertThat(partition.moveIn()).isEmpty();
                assertThat(partition.moveOuts()).isEmpty();
            });
            PartitionMetadata a = storage.lineage().partition(A).orElseThrow();
            assertThat(a.state()).isEqualTo(PartitionState.FINISHED);
            assertThat(a.endProof()).contains(PartitionEnd.childPartitions(Instant.ofEpochSecond(9), List.of(B, C)));
            assertThat(a.gaps())
                    .containsExactly(new PartitionGap(Instant.ofEpochSecond(1), Instant.ofEpochSecond(2, 1)));
            assertThat(storage.frontier().partitions()).hasSize(3);
        }
    }

    @Test
    void migrated_partitions_are_read_on_and_may_move_keys() {
        Instant moved = Instant.ofEpochSecond(9, 2);
        MoveIn moveIn = new MoveIn(moved, List.of(C));
        MoveOuts moveOuts = new MoveOuts("1", List.of(C));
        try (JdbcPartitionStorage storage = JdbcPartitionStorage.create(database.dataSource(), "orders")) {
            PartitionLease held = new PartitionLease(B, ANN, 3, moved);
            assertThat(storage.advanceWatermarks(List.of(new WatermarkAdvance(held, moved, Optional.of(moveOuts)))))
                    .isEmpty();
            assertThat(storage.waitForMoveIn(held, moveIn)).isTrue();
            PartitionMetadata b = storage.frontier().partition(B).orElseThrow();
            assertThat(b.moveOuts()).contains(moveOuts);
            assertThat(b.moveIn()).contains(moveIn);
            assertThat(storage.acquire(ANN, List.of(new PartitionClaim(C, 0)), Duration.ofMinutes(1)))
                    .containsExactly(new PartitionLease(C, ANN, 1, Instant.ofEpochSecond(9)));
        }
    }

    @Test
    void looks_show_what_workers_of_the_version_before_add() {
        try (JdbcPartitionStorage storage = JdbcPartitionStorage.create(database.dataSource(), "orders")) {
            FrontierChanges first = storage.frontierSince(Optional.empty(), Set.of());
            assertThat(first.partitions().partitions()).hasSize(3);
            database.execute("""
                    INSERT INTO spream.partitions
                        (subscription, token_hash, token, parent_tokens, start_timestamp, watermark, state, created_at)
                    VALUES ('orders', %s, 'd', '{}', 9, 9, 'CREATED', now())""".formatted(PartitionRow.hashOf("'d'")), """
                    INSERT INTO spream.workers (subscription, worker, capacity, registered_at, alive_until)
                    VALUES ('orders', 'ann', 1, now(), now() + interval '1 hour')""");
            FrontierChanges second = storage.frontierSince(first.mark(), Set.of());
            assertThat(second.complete()).isFalse();
            assertThat(second.partitions().partitions())
                    .extracting(PartitionMetadata::token)
                    .containsExactly(new PartitionToken("d"));
            assertThat(second.workers().firstEnd()).isPresent();
            assertThat(second.workers().progress()).isEmpty();
        }
    }

    @Test
    void without_migration_the_version_before_is_refused_with_both_versions_named() {
        assertThatThrownBy(() -> JdbcPartitionStorage.builder(database.dataSource(), "orders")
                        .migrate(false)
                        .build())
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("have version 1")
                .hasMessageContaining("needs version 7")
                .hasMessageContaining("migrate(true)");
    }

    @Test
    void a_migrated_subscription_can_be_corrected() {
        database.execute("UPDATE spream.partitions SET lease_until = now()");
        try (JdbcPartitionStorage storage = JdbcPartitionStorage.create(database.dataSource(), "orders")) {
            assertThat(storage.corrections()).isEmpty();
            Correction end = new Correction.MoveEnd(Optional.of(Instant.ofEpochSecond(20)));
            assertThat(storage.correct(end, new CorrectionAct("ann", "the end is known")))
                    .isInstanceOf(CorrectionOutcome.Planned.class);
            assertThat(storage.subscription().orElseThrow().endTimestamp()).contains(Instant.ofEpochSecond(20));
            assertThat(storage.corrections()).hasSize(1);
        }
    }

    /** The rows without the columns of the next version. */
    private List<String> rows() throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("""
                        SELECT to_jsonb(p) - ARRAY['move_in_timestamp', 'move_in_sources', 'move_out_sequence', 'move_out_destinations',
                            'changed_in']
                        FROM spream.partitions p ORDER BY token""")) {
            while (row.next()) {
                rows.add(row.getString(1));
            }
        }
        return rows;
    }
}
