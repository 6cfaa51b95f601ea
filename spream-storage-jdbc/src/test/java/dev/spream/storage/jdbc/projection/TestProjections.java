package dev.spream.storage.jdbc.projection;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.AggregateState;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ParkReason;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionOwner;
import dev.spream.projection.ProjectionStore.Work;
import dev.spream.projection.SegmentLease;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.EventMetadata;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.LongStream;

/** A projection in a database of its own, with a read model that counts events, and what tests do with it all the time. */
final class TestProjections implements AutoCloseable {
    static final String NAME = "balances";
    static final Duration LEASE = Duration.ofMinutes(1);
    static final ProjectionOwner ANN = ProjectionOwner.of("ann");
    static final ProjectionOwner BOB = ProjectionOwner.of("bob");
    static final Act ACT = new Act("ann@example", "because");
    static final ParkDecision POISON = new ParkDecision(ParkReason.POISON, 1, "no such item", Optional.empty());
    static final BatchCheckpoint NOTHING =
            new BatchCheckpoint(Map.of(), Map.of(), List.of(), OptionalLong.empty(), Optional.empty());

    private final TestDatabase database =
            databaseWith("CREATE TABLE public.balances (key text PRIMARY KEY, events bigint NOT NULL)");
    final JdbcProjectionStore store = JdbcProjectionStore.create(database.dataSource());
    final JdbcProjectionOperations operations = JdbcProjectionOperations.create(database.dataSource());

    /** Projections in a database of their own, with that read model. */
    static TestDatabase databaseWith(String readModel) {
        return TestDatabase.with("projections " + readModel, database -> {
            JdbcProjectionStore.create(database.dataSource()).close();
            database.execute(readModel);
        });
    }

    TestDatabase database() {
        return database;
    }

    HikariDataSource dataSource() {
        return database.dataSource();
    }

    static EventEnvelope event(String key, long version) {
        return new EventEnvelope(
                "%s/%d".formatted(key, version),
                key,
                "Happened",
                "{\"b\": %d,  \"a\":1}".formatted(version),
                version,
                Instant.parse("2026-01-02T03:04:05.123456789Z").plusSeconds(version),
                new EventMetadata("c", "u", "s", Optional.of("k" + version)));
    }

    static List<EventEnvelope> events(String key, long from, long to) {
        return LongStream.rangeClosed(from, to)
                .mapToObj(version -> event(key, version))
                .toList();
    }

    /** The projection with one segment, which the owner takes. */
    Fence.Segment held(ProjectionOwner owner) {
        store.register(NAME, 1);
        SegmentLease lease =
                store.holdSegments(NAME, owner, Set.of(), LEASE).held().getFirst();
        return new Fence.Segment(NAME, owner, lease.segment(), lease.epoch());
    }

    /** The projection without segments. */
    Fence.Whole whole() {
        return new Fence.Whole(NAME, store.register(NAME, 0).epoch());
    }

    /** Applies events, each of which adds 1 to the row of its aggregate. */
    boolean apply(Fence fence, EventEnvelope... events) throws Exception {
        return apply(fence, OptionalLong.empty(), List.of(events));
    }

    boolean apply(Fence fence, OptionalLong position, List<EventEnvelope> events) throws Exception {
        return store.apply(fence, keys(events), counting(position, events));
    }

    static Work<Connection> counting(OptionalLong position, List<EventEnvelope> events) {
        return (connection, states) -> {
            Map<String, Long> versions = new TreeMap<>();
            for (EventEnvelope event : events) {
                add(connection, event.aggregateId());
                versions.put(event.aggregateId(), event.eventVersion());
            }
            return new BatchCheckpoint(
                    versions, Map.of(), List.of(), position, events.stream().reduce((a, b) -> b));
        };
    }

    static void add(Connection connection, String key) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                INSERT INTO public.balances AS b VALUES (?, 1) ON CONFLICT (key) DO UPDATE SET events = b.events + 1""")) {
            statement.setString(1, key);
            statement.executeUpdate();
        }
    }

    /** Parks an aggregate with events. */
    void park(Fence fence, String key, ParkDecision parking, List<EventEnvelope> events) throws Exception {
        progress(fence, Map.of(key, parking), events);
    }

    /** Sets events aside, and parks aggregates. */
    void progress(Fence fence, Map<String, ParkDecision> parked, List<EventEnvelope> events) throws Exception {
        BatchCheckpoint progress =
                new BatchCheckpoint(Map.of(), parked, events, OptionalLong.empty(), Optional.empty());
        store.apply(fence, keys(events), (connection, states) -> progress);
    }

    static Set<String> keys(List<EventEnvelope> events) {
        Set<String> keys = new TreeSet<>();
        events.forEach(event -> keys.add(event.aggregateId()));
        return keys;
    }

    /** Tries a parked aggregate again; all of its events succeed. */
    Optional<AggregateState> retry(Fence fence, String key) throws Exception {
        return retry(fence, key, new ArrayList<>());
    }

    Optional<AggregateState> retry(Fence fence, String key, List<EventEnvelope> given) throws Exception {
        return store.retry(fence, key, 100, (connection, last, events) -> {
            for (EventEnvelope event : events) {
                add(connection, event.aggregateId());
            }
            given.addAll(events);
            return events.getLast().eventVersion();
        });
    }

    AggregateState keyState(Fence fence, String key) throws Exception {
        List<AggregateState> found = new ArrayList<>();
        store.apply(fence, Set.of(key), (connection, states) -> {
            found.addAll(states.values());
            return NOTHING;
        });
        return found.getFirst();
    }

    /** The rows of a query, their columns with commas between. */
    List<String> rows(String sql) throws SQLException {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            List<String> rows = new ArrayList<>();
            while (result.next()) {
                List<String> columns = new ArrayList<>();
                for (int column = 1; column <= result.getMetaData().getColumnCount(); column++) {
                    columns.add(String.valueOf(result.getString(column)));
                }
                rows.add(String.join(",", columns));
            }
            return rows;
        }
    }

    /** The read model. */
    List<String> balances() throws SQLException {
        return rows("SELECT key, events FROM public.balances ORDER BY key");
    }

    void execute(String... statements) {
        database.execute(statements);
    }

    @Override
    public void close() {
        store.close();
        operations.close();
        database.close();
    }
}
