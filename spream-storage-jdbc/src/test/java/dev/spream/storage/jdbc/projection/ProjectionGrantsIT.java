package dev.spream.storage.jdbc.projection;

import static dev.spream.storage.jdbc.projection.TestProjections.ACT;
import static dev.spream.storage.jdbc.projection.TestProjections.ANN;
import static dev.spream.storage.jdbc.projection.TestProjections.LEASE;
import static dev.spream.storage.jdbc.projection.TestProjections.NAME;
import static dev.spream.storage.jdbc.projection.TestProjections.NOTHING;
import static dev.spream.storage.jdbc.projection.TestProjections.POISON;
import static dev.spream.storage.jdbc.projection.TestProjections.events;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.RetryGuard;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.FeedItem;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** The privileges that {@link ProjectionBuilder#migrate} lists are enough. */
@Timeout(120)
final class ProjectionGrantsIT {
    private final TestProjections test = new TestProjections();

    @AfterEach
    void close() {
        test.execute("DROP OWNED BY projector", "DROP ROLE projector");
        test.close();
    }

    @Test
    void a_role_that_may_not_create_objects_runs_and_operates_projections() throws Exception {
        test.execute(
                "DROP ROLE IF EXISTS projector",
                "CREATE ROLE projector LOGIN",
                "GRANT USAGE ON SCHEMA spream TO projector",
                "GRANT SELECT ON spream.projection_history TO projector",
                "GRANT SELECT, INSERT, UPDATE ON spream.projection_states, spream.projection_versions,"
                        + " spream.projection_segments, spream.projection_keys TO projector",
                "GRANT SELECT, INSERT, UPDATE, DELETE ON spream.projection_owners, spream.projection_parked_keys,"
                        + " spream.projection_parked_events TO projector",
                "GRANT SELECT, INSERT ON spream.projection_dead_letters TO projector",
                "GRANT SELECT, INSERT ON spream.projection_audit TO projector");
        PGSimpleDataSource asProjector = new PGSimpleDataSource();
        asProjector.setUrl(test.database().url().replaceFirst("user=\\w+", "user=projector"));
        try (JdbcProjectionStore store =
                        JdbcProjectionStore.builder(asProjector).migrate(false).build();
                JdbcProjectionOperations operations = JdbcProjectionOperations.builder(asProjector)
                        .migrate(false)
                        .build()) {
            Fence fence = run(store);
            operate(store, operations, fence);
            store.leave(NAME, ANN);
        }
    }

    private static Fence run(JdbcProjectionStore store) throws Exception {
        store.register(NAME, 1);
        SegmentLease lease =
                store.holdSegments(NAME, ANN, Set.of(), LEASE).held().getFirst();
        Fence fence = new Fence.Segment(NAME, ANN, lease.segment(), lease.epoch());
        List<EventEnvelope> parked = events("a", 1, 3);
        BatchCheckpoint progress = new BatchCheckpoint(
                Map.of("b", 1L), Map.of("a", POISON), parked, OptionalLong.of(7), Optional.of(parked.getFirst()));
        assertThat(store.apply(fence, Set.of("a", "b"), (connection, states) -> progress))
                .isTrue();
        assertThat(store.apply(fence, Set.of("b"), (connection, states) -> NOTHING))
                .isTrue();
        store.deadLetter(
                NAME,
                new FeedItem.Undecodable(
                        1, "message 7", ByteBuffer.wrap(new byte[] {1}), Map.of(), "no JSON", Instant.EPOCH));
        assertThat(store.postpone(fence, "a", new RetryGuard(1, 1), POISON)).isTrue();
        store.report(NAME, 1, Optional.of("late"));
        assertThat(store.state(NAME)).isPresent();
        return fence;
    }

    private static void operate(JdbcProjectionStore store, JdbcProjectionOperations operations, Fence fence)
            throws Exception {
        assertThat(operations.list()).hasSize(1);
        assertThat(operations.parked(NAME, 10)).hasSize(1);
        assertThat(operations.skip(NAME, "a", 1, ACT)).isTrue();
        assertThat(operations.retry(NAME, Optional.empty(), ACT)).isEqualTo(1);
        assertThat(store.due(fence, 10)).hasSize(1);
        assertThat(store.retry(fence, "a", 10, (connection, last, events) -> 3)).contains(new AggregateState(3, false));
        assertThat(operations.show(NAME).orElseThrow().deadLetters()).isEqualTo(2);
        assertThat(operations.deadLetters(NAME, 10)).hasSize(2);
        assertThat(operations.audit(NAME, 10)).hasSize(2);
        assertThat(operations.pause(NAME, ACT)).isTrue();
        assertThat(operations.resume(NAME, ACT)).isTrue();
        assertThat(store.fail(fence, store.state(NAME).orElseThrow().epoch(), "broken"))
                .isTrue();
        assertThat(store.holdSegments(NAME, ANN, Set.of(0), Duration.ofSeconds(1))
                        .held())
                .isEmpty();
    }
}
