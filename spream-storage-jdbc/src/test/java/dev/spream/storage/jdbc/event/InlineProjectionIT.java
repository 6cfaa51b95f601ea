package dev.spream.storage.jdbc.event;

import static dev.spream.storage.jdbc.event.TestEvents.events;
import static dev.spream.storage.jdbc.event.TestEvents.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Projection;
import dev.spream.projection.ProjectionException;
import dev.spream.projection.SideEffectingProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.event.VersionConflictException;
import dev.spream.storage.jdbc.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Projections in the transaction of an append. */
@Timeout(120)
final class InlineProjectionIT {
    private static final int APPENDS = 25;

    private final TestDatabase database = Histories.database();
    private final Histories histories = new Histories();
    private final JdbcEventStore plain = JdbcEventStore.create(database.dataSource());
    private final JdbcEventStore store =
            JdbcEventStore.builder(database.dataSource()).inline(histories).build();

    @AfterEach
    void close() {
        store.close();
        plain.close();
        database.close();
    }

    private List<String> rows() throws SQLException {
        return Histories.rows(database);
    }

    @Test
    void after_an_append_the_read_model_has_its_events_each_once_as_they_are_stored() throws Exception {
        List<RecordedEvent> appended = store.append("a", ExpectedVersion.none(), events("a1", "a2"));
        assertThat(rows()).containsExactly("a,1 2");
        assertThat(histories.applied)
                .containsExactlyElementsOf(
                        appended.stream().map(RecordedEvent::event).toList());
        assertThat(store.append("a", ExpectedVersion.none(), events("a1", "a2")))
                .as("repeated")
                .isEqualTo(appended);
        assertThat(rows()).containsExactly("a,1 2");
    }

    @Test
    void a_projection_that_fails_aborts_the_append() throws Exception {
        histories.then((transaction, event) -> {
            if (event.eventId().equals("bad")) {
                throw new IllegalStateException("secret");
            }
        });
        store.append("a", ExpectedVersion.none(), events("a1"));
        assertThatThrownBy(() -> store.append("a", ExpectedVersion.any(), events("a2", "bad")))
                .isInstanceOfSatisfying(
                        ProjectionException.class, e -> assertThat(e.kind()).isEqualTo(FailureKind.POISON))
                .hasMessageContainingAll("'histories'", "nothing was changed")
                .hasMessageNotContaining("secret");
        assertThat(rows()).containsExactly("a,1");
        assertThat(ids(store.readAll(0, 10))).containsExactly("a1");
    }

    @Test
    void concurrent_appends_are_applied_in_the_order_of_their_versions() throws Exception {
        List<Future<List<RecordedEvent>>> appends = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 2 * APPENDS; i++) {
                String aggregate = "a" + i % 2;
                String id = "e" + i;
                appends.add(threads.submit(() -> store.append(aggregate, ExpectedVersion.any(), events(id))));
            }
            for (Future<?> append : appends) {
                append.get();
            }
        }
        String versions =
                IntStream.rangeClosed(1, APPENDS).mapToObj(Integer::toString).collect(Collectors.joining(" "));
        assertThat(rows()).containsExactly("a0," + versions, "a1," + versions);
    }

    @Test
    void effects_are_taken_back_and_repeated_if_another_append_has_taken_the_version() throws Exception {
        overtakeOnce();
        assertThat(store.append("a", ExpectedVersion.any(), events("a1"))
                        .getFirst()
                        .event()
                        .eventVersion())
                .isEqualTo(2);
        assertThat(rows()).containsExactly("a,2");
    }

    @Test
    void a_conflict_leaves_the_callers_transaction_without_effects() throws Exception {
        overtakeOnce();
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> store.append(connection, "a", ExpectedVersion.none(), events("a1")))
                    .isInstanceOf(VersionConflictException.class);
            store.append(connection, "b", ExpectedVersion.none(), events("b1"));
            connection.commit();
        }
        assertThat(rows()).containsExactly("b,1");
    }

    @Test
    void a_failure_leaves_the_callers_transaction_without_effects() throws Exception {
        histories.then((transaction, event) -> {
            switch (event.eventId()) {
                case "bad" -> throw new IllegalStateException();
                case "wrong" -> transaction.createStatement().execute("SELECT 1 / 0");
                default -> {}
            }
        });
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> store.append(connection, "a", ExpectedVersion.none(), events("a1", "bad")))
                    .isInstanceOf(ProjectionException.class);
            assertThatThrownBy(() -> store.append(connection, "a", ExpectedVersion.none(), events("a1", "wrong")))
                    .isInstanceOf(StorageException.class);
            store.append(connection, "b", ExpectedVersion.none(), events("b1"));
            connection.commit();
        }
        assertThat(rows()).containsExactly("b,1");
        assertThat(ids(store.readAll(0, 10))).containsExactly("b1");
    }

    @Test
    void a_constraint_of_the_read_model_is_named_and_its_rows_are_not() throws Exception {
        histories.then((transaction, event) ->
                transaction.createStatement().execute("INSERT INTO histories VALUES ('secret', '1'), ('secret', '2')"));
        assertThatThrownBy(() -> store.append("a", ExpectedVersion.none(), events("a1")))
                .isInstanceOf(StorageException.class)
                .hasMessageContainingAll("'histories'", "23505")
                .hasMessageNotContaining("secret")
                .hasNoCause();
        database.execute("ALTER TABLE histories ADD CONSTRAINT once UNIQUE (versions) DEFERRABLE INITIALLY DEFERRED");
        histories.then((transaction, event) -> transaction
                .createStatement()
                .execute("INSERT INTO histories VALUES ('secret 1', 'secret'), ('secret 2', 'secret')"));
        assertThatThrownBy(() -> store.append("a", ExpectedVersion.none(), events("a1")))
                .isInstanceOf(StorageException.class)
                .hasMessageContainingAll("constraint 'once' of the table 'histories'", "23505")
                .hasMessageNotContaining("secret")
                .hasNoCause();
        assertThat(store.readAll(0, 10)).isEmpty();
    }

    /** Has a store without inline projections append while the first event is applied. */
    private void overtakeOnce() {
        AtomicBoolean overtaken = new AtomicBoolean();
        histories.then((transaction, event) -> {
            if (overtaken.compareAndSet(false, true)) {
                plain.append("a", ExpectedVersion.any(), events("other"));
            }
        });
    }

    @Test
    void events_and_effects_are_there_when_the_callers_transaction_has_committed() throws Exception {
        try (Connection connection = database.dataSource().getConnection()) {
            connection.setAutoCommit(false);
            store.append(connection, "a", ExpectedVersion.none(), events("a1"));
            assertThat(rows()).isEmpty();
            connection.rollback();
            store.append(connection, "a", ExpectedVersion.none(), events("a1"));
            connection.commit();
        }
        assertThat(rows()).containsExactly("a,1");
        assertThat(ids(store.readAll(0, 10))).containsExactly("a1");
    }

    @Test
    void a_projection_that_ends_the_transaction_is_refused_and_nothing_is_appended() throws Exception {
        histories.then((transaction, event) -> transaction.commit());
        assertThatThrownBy(() -> store.append("a", ExpectedVersion.none(), events("a1")))
                .isInstanceOf(ProjectionException.class)
                .hasMessageContaining("commit()");
        histories.then((transaction, event) -> {
            try (Statement statement = transaction.createStatement()) {
                statement.execute("COMMIT");
            }
            if (event.eventId().equals("bad")) {
                throw new IllegalStateException();
            }
        });
        for (String id : List.of("a1", "bad")) {
            assertThatThrownBy(() -> store.append("a", ExpectedVersion.none(), events(id)))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("ended the transaction");
        }
        assertThat(store.readAll(0, 10)).isEmpty();
    }

    @Test
    void a_rebuild_applies_what_was_appended_without_the_projection() throws Exception {
        plain.append("a", ExpectedVersion.none(), events("a1", "a2"));
        store.append("a", ExpectedVersion.any(), events("a3"));
        database.execute("INSERT INTO histories VALUES ('wrong', '1')");
        assertThat(store.rebuildInline("histories")).isEqualTo(3);
        assertThat(rows()).containsExactly("a,1 2 3");
    }

    @Test
    void an_append_waits_for_a_rebuild_and_is_applied_once() throws Exception {
        plain.append("a", ExpectedVersion.none(), events("a1"));
        List<Future<?>> appends = new ArrayList<>();
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            histories.then((transaction, event) -> {
                if (appends.isEmpty()) {
                    appends.add(threads.submit(() -> store.append("b", ExpectedVersion.none(), events("b1"))));
                    TestEvents.await("the append", () -> appends.getFirst().isDone() || isWaitingForALock());
                }
            });
            assertThat(store.rebuildInline("histories")).isEqualTo(1);
            appends.getFirst().get();
        }
        assertThat(rows()).containsExactly("a,1", "b,1");
    }

    private boolean isWaitingForALock() throws SQLException {
        return TestEvents.rows(database.dataSource(), """
                SELECT count(*) > 0 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
                WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted""").equals(List.of("t"));
    }

    @Test
    void projections_with_effects_that_an_append_cannot_take_back_are_refused() {
        final class Mailing implements Projection<Connection>, SideEffectingProjection<Connection> {
            @Override
            public String name() {
                return "mailing";
            }

            @Override
            public void apply(Connection transaction, EventEnvelope event) {}

            @Override
            public void follow(Connection transaction, EventEnvelope event) {}
        }
        JdbcEventStoreBuilder builder = JdbcEventStore.builder(database.dataSource());
        assertThatThrownBy(() -> builder.inline(new Mailing())).isInstanceOf(IllegalArgumentException.class);
        builder.inline(histories);
        assertThatThrownBy(() -> builder.inline(new Histories())).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store.rebuildInline("mailing"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("histories");
    }
}
