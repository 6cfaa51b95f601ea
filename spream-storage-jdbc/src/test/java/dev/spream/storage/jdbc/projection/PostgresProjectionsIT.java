package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ACT;
import static dev.spream.storage.jdbc.projection.TestProjections.ANN;
import static dev.spream.storage.jdbc.projection.TestProjections.BOB;
import static dev.spream.storage.jdbc.projection.TestProjections.LEASE;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static dev.spream.storage.jdbc.projection.TestProjections.POISON;
import static dev.spream.storage.jdbc.projection.TestProjections.event;
import static dev.spream.storage.jdbc.projection.TestProjections.events;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionCode;
import dev.spream.projection.ProjectionRebuilds;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.VersionRole;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.FeedItem;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the tables' content, with one pass through all of them. */
@Timeout(120)
final class PostgresProjectionsIT {
    private final TestProjections test = new TestProjections();

    @AfterEach
    void close() {
        test.close();
    }

    @Test
    void a_batch_writes_effects_versions_and_position_and_a_report_sums_them_up() throws Exception {
        Fence.Segment fence = test.held(ANN);
        assertThat(test.apply(fence, OptionalLong.of(7), List.of(event("a", 1), event("b", 1), event("a", 2))))
                .isTrue();

        assertThat(test.balances()).containsExactly("a,2", "b,1");
        assertThat(test.rows("SELECT key, last_version, parked FROM spream.projection_keys ORDER BY key"))
                .containsExactly("a,2,f", "b,1,f");
        assertThat(test.rows("SELECT event_store_position, updated_at > '2000-01-01' FROM spream.projection_states"))
                .containsExactly("0,t");

        test.store.report(NAME, 2, Optional.of("late\0r"));
        assertThat(test.rows("""
                        SELECT projection_name, last_processed_event_id, event_store_position, pubsub_ack_id, status, error_count,
                            last_error, segments FROM spream.projection_states""")).containsExactly("balances,a/2,7,null,RUNNING,2,later,1");
        assertThat(test.store.state(NAME).orElseThrow().lastEventAt())
                .contains(Instant.parse("2026-01-02T03:04:07.123456Z"));
        assertThat(test.operations.show(NAME).orElseThrow().segments())
                .singleElement()
                .satisfies(segment -> {
                    assertThat(segment.position()).isEqualTo(7);
                    assertThat(segment.owner()).contains(ANN.toString());
                });
    }

    @Test
    void tables_that_another_script_of_this_version_has_made_are_not_migrated() {
        test.execute(
                "DELETE FROM spream.projection_history WHERE version > '1'",
                "UPDATE spream.projection_history SET checksum = 4711 WHERE version = '1'");
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> JdbcProjectionOperations.create(test.dataSource()))
                .withMessageContaining("migrating the tables of schema 'spream' failed")
                .withMessageContaining("checksum mismatch for migration version 1");
    }

    @Test
    void a_shadow_of_version_2_becomes_a_candidate() {
        ProjectionCode code = new ProjectionCode(1, Set.of("balances"), false);
        test.store.register(NAME, 1, code);
        int built = test.operations.rebuilds().rebuild(NAME, OptionalInt.of(2), 0, ACT);
        test.execute(
                "ALTER TABLE spream.projection_versions DROP CONSTRAINT projection_versions_role_check",
                "DROP INDEX spream.projection_versions_candidate",
                "UPDATE spream.projection_versions SET role = 'SHADOW' WHERE role = 'CANDIDATE'",
                "ALTER TABLE spream.projection_versions ADD CONSTRAINT projection_versions_role_check"
                        + " CHECK (role IN ('LIVE', 'SHADOW', 'RETIRED'))",
                "CREATE UNIQUE INDEX projection_versions_shadow ON spream.projection_versions (projection)"
                        + " WHERE role = 'SHADOW'",
                "DELETE FROM spream.projection_history WHERE version > '2'");

        ProjectionRebuilds rebuilds =
                JdbcProjectionOperations.create(test.dataSource()).rebuilds();

        assertThat(test.store.versions(NAME))
                .filteredOn(version -> version.version() == built)
                .singleElement()
                .extracting(ProjectionVersion::role)
                .isEqualTo(VersionRole.CANDIDATE);
        assertThatIllegalStateException()
                .as("one candidate at a time")
                .isThrownBy(() -> rebuilds.rebuild(NAME, OptionalInt.of(3), 0, ACT));
    }

    @Test
    void a_search_path_that_a_projection_has_set_ends_with_its_transaction() throws Exception {
        Fence.Segment fence = test.held(ANN);
        test.execute(
                "CREATE SCHEMA other", "CREATE TABLE other.balances (key text PRIMARY KEY, events bigint NOT NULL)");
        test.park(fence, "c", POISON, events("c", 1, 1));
        for (String set : List.of("SET search_path = other", "SET LOCAL search_path = other")) {
            String before = String.join("", test.rows("SHOW search_path"));
            test.store.apply(fence, Set.of("a"), (connection, states) -> {
                execute(connection, set);
                execute(connection, "INSERT INTO balances VALUES ('a' || (SELECT count(*) FROM balances), 1)");
                return TestProjections.NOTHING;
            });
            assertThat(test.rows("SHOW search_path")).containsExactly(before);
        }
        test.store.retry(fence, "c", 10, (connection, last, events) -> {
            execute(connection, "SET search_path = other");
            return 1;
        });
        test.store.apply(fence, Set.of("b"), (connection, states) -> {
            execute(connection, "INSERT INTO balances VALUES ('b', 1)");
            return TestProjections.NOTHING;
        });
        assertThat(test.balances()).containsExactly("b,1");
        assertThat(test.rows("SELECT key FROM other.balances ORDER BY key")).containsExactly("a0", "a1");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void without_segments_the_last_event_is_reported_by_the_process_that_applied_it() throws Exception {
        Fence.Whole fence = test.whole();
        test.apply(fence, event("a", 1));
        assertThat(test.store.state(NAME).orElseThrow().lastEventId()).isEmpty();
        test.store.report(NAME, 0, Optional.empty());
        assertThat(test.store.state(NAME).orElseThrow().lastEventId()).contains("a/1");
        assertThat(test.store.state(NAME).orElseThrow().position()).isZero();
    }

    @Test
    void a_parked_aggregate_keeps_its_events_as_they_came() throws Exception {
        Fence.Segment fence = test.held(ANN);
        test.park(fence, "a", POISON, events("a", 1, 2));
        test.progress(fence, Map.of(), List.of(event("a", 3), event("a", 2)));

        assertThat(test.operations.parked(NAME, 10))
                .singleElement()
                .satisfies(parked -> assertThat(parked)
                        .usingRecursiveComparison()
                        .ignoringFields("since")
                        .isEqualTo(new ParkedAggregate(
                                "a",
                                ParkReason.POISON,
                                0,
                                1,
                                3,
                                1,
                                "no such item",
                                parked.since(),
                                Optional.empty(),
                                0)));
        assertThat(test.store.due(fence, 10)).isEmpty();
        assertThat(test.operations.retry(NAME, Optional.of("a"), ACT)).isEqualTo(1);
        assertThat(test.store.due(fence, 10))
                .singleElement()
                .extracting(ParkedAggregate::nextTry)
                .isEqualTo(Optional.of(Duration.ZERO));

        List<EventEnvelope> given = new ArrayList<>();
        assertThat(test.retry(fence, "a", given)).contains(new AggregateState(3, false));
        assertThat(given).isEqualTo(events("a", 1, 3));
        assertThat(test.operations.parked(NAME, 10)).isEmpty();
        assertThat(test.rows("SELECT count(*) FROM spream.projection_parked_events"))
                .containsExactly("0");
        assertThat(test.balances()).containsExactly("a,3");
        assertThat(test.rows("SELECT actor, action, outcome, reason FROM spream.projection_audit"))
                .containsExactly("ann@example,retry,'a',because");
    }

    @Test
    void a_parked_aggregate_with_huge_events_is_tried_with_few_at_once() throws Exception {
        Fence.Segment fence = test.held(ANN);
        test.park(fence, "a", POISON, events("a", 1, 12));
        test.execute("UPDATE spream.projection_parked_events SET event_data = '\"' || repeat('x', 1 << 20) || '\"'");

        List<EventEnvelope> given = new ArrayList<>();
        assertThat(test.retry(fence, "a", given)).contains(new AggregateState(8, true));
        assertThat(given).hasSize(8);
        assertThat(test.retry(fence, "a", given)).contains(new AggregateState(12, false));
        assertThat(given)
                .extracting(EventEnvelope::eventVersion)
                .containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L, 11L, 12L);
    }

    @Test
    void an_aggregate_with_an_id_that_no_index_holds_is_like_any_other() throws Exception {
        Fence.Segment fence = test.held(ANN);
        StringBuilder id = new StringBuilder();
        for (int i = 0; i < 1_024; i++) {
            id.append((char) ('\u4e00' + i * 7919 % 20_000)); // three bytes each, and not to be compressed
        }
        String key = id.toString();
        test.apply(fence, event("plain", 1));
        EventEnvelope second = new EventEnvelope("e", key, "T", "{}", 2, Instant.EPOCH, EventMetadata.NONE);
        test.park(fence, key, POISON, List.of(second));
        assertThat(test.keyState(fence, key)).isEqualTo(new AggregateState(0, true));
        assertThat(test.operations.parked(NAME, 10))
                .extracting(ParkedAggregate::key)
                .containsExactly(key);
        List<EventEnvelope> given = new ArrayList<>();
        assertThat(test.store.retry(fence, key, 10, (connection, last, events) -> {
                    given.addAll(events);
                    return 2;
                }))
                .contains(new AggregateState(2, false));
        assertThat(given).containsExactly(second);
    }

    @Test
    void an_event_that_was_applied_before_it_is_tried_again_is_dropped() throws Exception {
        Fence.Segment fence = test.held(ANN);
        test.apply(fence, event("a", 1));
        test.park(fence, "a", POISON, List.of(event("a", 1)));
        assertThat(test.retry(fence, "a")).as("the work is not called").contains(new AggregateState(1, false));
        assertThat(test.balances()).containsExactly("a,1");
    }

    @Test
    void a_gap_is_due_when_the_missing_event_has_come() throws Exception {
        Fence.Segment fence = test.held(ANN);
        ParkDecision gap =
                new ParkDecision(ParkReason.GAP, 0, "version 2 is missing", Optional.of(Duration.ofHours(1)));
        test.apply(fence, event("a", 1));
        test.park(fence, "a", gap, List.of(event("a", 4)));
        test.progress(fence, Map.of(), List.of(event("a", 3)));
        assertThat(test.store.due(fence, 10)).isEmpty();
        test.progress(fence, Map.of(), List.of(event("a", 2)));
        assertThat(test.store.due(fence, 10)).hasSize(1);

        test.store.postpone(fence, "a", new RetryGuard(2, 0), gap);
        assertThat(test.store.due(fence, 10))
                .as("what has come meanwhile is not slept over")
                .hasSize(1);
        assertThat(test.retry(fence, "a")).contains(new AggregateState(4, false));
    }

    @Test
    void a_skipped_event_is_a_dead_letter_with_all_that_it_had() throws Exception {
        Fence.Segment fence = test.held(ANN);
        test.park(fence, "a", POISON, events("a", 1, 2));
        assertThat(test.operations.skip(NAME, "a", 2, ACT)).as("not the first").isFalse();
        assertThat(test.operations.skip(NAME, "b", 1, ACT)).as("not parked").isFalse();
        assertThat(test.operations.skip(NAME, "a", 1, ACT)).isTrue();

        assertThat(test.rows("""
                        SELECT kind, reason, aggregate_id, event_version, event_id, event_type, event_data, occurred_at,
                            correlation_id, user_id, source_service, idempotency_key FROM spream.projection_dead_letters"""))
                .containsExactly(
                        "SKIPPED,no such item,a,1,a/1,Happened,{\"b\": 1,  \"a\":1},1767323046.123456789,c,u,s,k1");
        assertThat(test.store.due(fence, 10)).singleElement().satisfies(parked -> {
            assertThat(parked.attempts()).isZero();
            assertThat(parked.firstVersion()).isEqualTo(2);
            assertThat(parked.lastVersion()).isEqualTo(1);
        });
        assertThat(test.retry(fence, "a")).contains(new AggregateState(2, false));
        assertThat(test.balances()).containsExactly("a,1");
        assertThat(test.rows("SELECT action, outcome FROM spream.projection_audit"))
                .containsExactly("skip,version 1 of 'a'");
    }

    @Test
    void an_undecodable_item_is_stored_once_with_its_bytes() throws Exception {
        test.whole();
        FeedItem.Undecodable item = new FeedItem.Undecodable(
                1,
                "message 4\0",
                ByteBuffer.wrap(new byte[] {0, 1, (byte) 0xff}),
                Map.of("a\0", "\0b"),
                "no JSON",
                Instant.parse("2026-01-02T03:04:05.000000001Z"));
        test.store.deadLetter(NAME, item);
        test.store.deadLetter(NAME, item);
        assertThat(test.rows("""
                        SELECT kind, origin, encode(bytes, 'hex'), attributes, reason, occurred_at
                        FROM spream.projection_dead_letters"""))
                .containsExactly(
                        "UNDECODABLE,message 4,0001ff,{\"a\\u0000\":\"\\u0000b\"},no JSON,1767323045.000000001");
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> test.store.deadLetter("unknown", item))
                .withMessageContaining("'unknown'")
                .matches(failure -> !failure.retryable());
    }

    private long epoch() {
        return test.store.state(NAME).orElseThrow().epoch();
    }

    @Test
    void a_fence_of_before_a_pause_a_takeover_or_another_status_holds_no_more() throws Exception {
        Fence.Segment anns = test.held(ANN);
        assertThat(test.operations.pause(NAME, ACT)).isTrue();
        assertThat(test.operations.pause(NAME, ACT)).as("again").isFalse();
        assertThat(test.apply(anns, event("a", 1))).isFalse();
        assertThat(test.retry(anns, "a")).isEmpty();
        assertThat(test.store.fail(anns, epoch(), "broken")).isFalse();
        assertThat(test.operations.resume(NAME, ACT)).isTrue();
        assertThat(test.apply(anns, event("a", 1))).isTrue();

        test.database().passTime(LEASE.plusSeconds(1));
        Fence.Segment bobs = test.held(BOB);
        assertThat(bobs.epoch()).isEqualTo(anns.epoch() + 1);
        assertThat(test.apply(anns, event("a", 2))).isFalse();
        assertThat(test.store.fail(anns, epoch(), "broken")).isFalse();
        assertThat(test.store.fail(bobs, epoch(), "broken")).isTrue();
        assertThat(test.apply(bobs, event("a", 2))).isFalse();
        assertThat(test.store.state(NAME).orElseThrow())
                .extracting(state -> state.status(), state -> state.epoch(), state -> state.lastError())
                .containsExactly(ProjectionStatus.FAILED, 4L, Optional.of("broken"));
        assertThat(test.operations.resume(NAME, ACT)).isTrue();
        assertThat(test.rows("SELECT action, outcome FROM spream.projection_audit ORDER BY id"))
                .containsExactly("pause,RUNNING -> PAUSED", "resume,PAUSED -> RUNNING", "resume,FAILED -> RUNNING");
        assertThat(test.balances()).containsExactly("a,1");
    }

    @Test
    void progress_that_would_lose_events_is_refused() throws Exception {
        Fence.Segment fence = test.held(ANN);
        List<BatchCheckpoint> wrong = List.of(
                progress(Map.of("b", 1L), Map.of(), List.of()),
                progress(Map.of(), Map.of(), List.of(event("a", 1))),
                progress(Map.of(), Map.of("a", POISON), List.of()),
                progress(Map.of(), Map.of("b", POISON), List.of(event("b", 1))));
        assertThat(wrong)
                .allSatisfy(progress -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> test.store.apply(fence, Set.of("a"), (connection, states) -> {
                            TestProjections.add(connection, "a");
                            return progress;
                        }))
                        .withMessageContaining("nothing was changed"));
        assertThat(test.balances()).isEmpty();
        assertThat(test.rows("SELECT FROM spream.projection_keys")).isEmpty();
    }

    private static BatchCheckpoint progress(
            Map<String, Long> versions, Map<String, ParkDecision> parked, List<EventEnvelope> setAside) {
        return new BatchCheckpoint(versions, parked, setAside, OptionalLong.empty(), Optional.empty());
    }

    @Test
    void an_exception_of_the_work_rolls_back_and_passes_unchanged() throws Exception {
        Fence.Segment fence = test.held(ANN);
        SQLException thrown = new SQLException("no", "08006");
        assertThatThrownBy(() -> test.store.apply(fence, Set.of("a"), (connection, states) -> {
                    TestProjections.add(connection, "a");
                    throw thrown;
                }))
                .isSameAs(thrown);
        test.park(fence, "a", POISON, events("a", 1, 1));
        assertThatThrownBy(() -> test.store.retry(fence, "a", 10, (connection, last, events) -> {
                    TestProjections.add(connection, "a");
                    throw thrown;
                }))
                .isSameAs(thrown);
        AssertionError error = new AssertionError("no");
        assertThatThrownBy(() -> test.store.apply(fence, Set.of("a"), (connection, states) -> {
                    TestProjections.add(connection, "a");
                    throw error;
                }))
                .isSameAs(error);
        assertThat(test.balances()).isEmpty();
        assertThat(test.keyState(fence, "a")).isEqualTo(new AggregateState(0, true));
    }

    @Test
    void a_closed_store_says_so() {
        test.store.register(NAME, 1);
        test.store.close();
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> test.store.state(NAME))
                .withMessageContaining("closed");
        assertThatExceptionOfType(StorageException.class)
                .isThrownBy(() -> test.store.register(NAME, 1))
                .withMessageContaining("closed");
    }
}
