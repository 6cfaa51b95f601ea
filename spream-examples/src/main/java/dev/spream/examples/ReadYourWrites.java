package dev.spream.examples;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.projection.event.EventMetadata;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.runner.ProjectionManager;
import dev.spream.projection.waiting.ProjectionWaiter;
import dev.spream.projection.waiting.WaitOutcome;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.event.JdbcEventStore;
import dev.spream.storage.jdbc.projection.JdbcProjectionStore;
import dev.spream.storage.jdbc.table.TableProjection;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import javax.sql.DataSource;

/** Two ways to read what was just written: a wait for the projection, and a projection that the append applies. */
public final class ReadYourWrites {
    private static final Duration DRAIN = Duration.ofSeconds(10);

    private ReadYourWrites() {}

    /** Takes the JDBC URL of a PostgreSQL database. */
    public static void main(String[] args) throws InterruptedException {
        if (args.length != 1) {
            System.err.println("usage: ReadYourWrites <JDBC URL>");
            System.exit(2);
        }
        try (HikariDataSource database = JdbcPool.open(args[0], Optional.empty(), Optional.empty())) {
            System.out.println(awaited(database));
            inline(database);
        }
    }

    /** Appends an event, and waits for the projection that counts events by type. */
    static String awaited(DataSource database) throws InterruptedException {
        var counts = TableProjection.table("counts", Set.of())
                .key("type", event -> event.eventType())
                .count("events")
                .build();
        counts.createTable(database);
        try (JdbcEventStore events = JdbcEventStore.create(database);
                EventSource source = events.source();
                JdbcProjectionStore store = JdbcProjectionStore.create(database)) {
            ProjectionWaiter waiter = ProjectionWaiter.of(store, "counts");
            try (ProjectionManager<Connection> manager = ProjectionManager.builder(store)
                    .add(counts, source)
                    .listener(waiter.listener())
                    .build()) {
                store.register("counts", 4);
                Thread running = Thread.ofVirtual().start(manager::run);
                RecordedEvent appended = events.append("account-1", ExpectedVersion.any(), List.of(deposit()))
                        .getLast();
                String answer = answer(waiter, appended);
                manager.shutdown(DRAIN);
                running.join();
                return answer;
            }
        }
    }

    private static String answer(ProjectionWaiter waiter, RecordedEvent appended) throws InterruptedException {
        return switch (waiter.await(appended, Duration.ofSeconds(10))) {
            case WaitOutcome.Reached() -> "the read model has the event";
            case WaitOutcome.Behind(var status, var position) -> "%s at position %d".formatted(status, position);
            case WaitOutcome.Parked(var account) -> account + " waits for an operator";
        };
    }

    /** Appends an event with an inline projection: its read model has the event when the append returns. */
    static void inline(DataSource database) {
        var inline = TableProjection.table("inline_counts", Set.of())
                .key("account")
                .count("events")
                .build();
        inline.createTable(database);
        try (JdbcEventStore events =
                JdbcEventStore.builder(database).inline(inline).build()) {
            events.append("account-2", ExpectedVersion.any(), List.of(deposit()));
        }
    }

    private static NewEvent deposit() {
        return new NewEvent(
                UUID.randomUUID().toString(), "MoneyDeposited", "{\"amount\": 100}", Instant.now(), EventMetadata.NONE);
    }
}
