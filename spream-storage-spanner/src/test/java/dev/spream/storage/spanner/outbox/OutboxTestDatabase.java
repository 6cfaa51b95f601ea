package dev.spream.storage.spanner.outbox;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import dev.spream.servers.SpannerServer;
import dev.spream.servers.SpannerServers;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** A database for the outboxes of many tests, on one server, in one dialect. It lives as long as the JVM. */
final class OutboxTestDatabase {
    private static final Map<String, OutboxTestDatabase> DATABASES = new ConcurrentHashMap<>();
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final Supplier<SpannerConnection> connecting;
    private final SpannerConnection connection;
    private final Queue<SpannerConnection> ofCallers = new ConcurrentLinkedQueue<>();
    private final AtomicInteger tables = new AtomicInteger();
    private final Queue<SpannerOutboxDatabase> empty = new ConcurrentLinkedQueue<>();

    private OutboxTestDatabase(SpannerServer server, Dialect dialect) {
        String name = server.createDatabase(dialect, List.of()).getName();
        this.connecting = () -> connect(server, name);
        this.connection = connecting.get();
    }

    private static SpannerConnection connect(SpannerServer server, String database) {
        return SpannerConnection.builder(DatabaseName.parse(database))
                .emulatorHost(server.emulatorHost())
                .maxOpenQueries(1)
                .open();
    }

    /** Runs work with a connection of its own. */
    static void connect(SpannerServer server, String database, Consumer<SpannerConnection> work) {
        try (SpannerConnection connection = connect(server, database)) {
            work.accept(connection);
        }
    }

    static OutboxTestDatabase of(SpannerServer server, Dialect dialect) {
        return DATABASES.computeIfAbsent(server + " " + dialect, key -> new OutboxTestDatabase(server, dialect));
    }

    /** For {@code @MethodSource}: the servers of this run, each with its dialects. */
    static Stream<Arguments> all() {
        return SpannerServers.all()
                .flatMap(server -> Stream.of(Dialect.values()).map(dialect -> Arguments.of(server, dialect)))
                .limit(SpannerServers.areAll() ? Long.MAX_VALUE : 1);
    }

    SpannerConnection connection() {
        return connection;
    }

    /** Returns a client for one transaction: one of Google's emulator has one at a time. */
    SpannerConnection takeClient() {
        SpannerConnection free = ofCallers.poll();
        return free == null ? connecting.get() : free;
    }

    void giveBack(SpannerConnection client) {
        ofCallers.add(client);
    }

    /** Returns an outbox without rows. New tables for each test would take most of the time of all of them. */
    SpannerOutboxDatabase take() {
        SpannerOutboxDatabase free = empty.poll();
        return free == null ? create("Outbox_" + tables.incrementAndGet()) : free;
    }

    private SpannerOutboxDatabase create(String table) {
        SpannerOutboxTables.create(connection, table);
        return SpannerOutboxDatabase.open(connection, table, TIMEOUT);
    }

    /** Removes the rows of an outbox for another test. */
    void giveBack(SpannerOutboxDatabase outbox) {
        connection
                .client()
                .write(outbox.tables().all().stream()
                        .map(name -> Mutation.delete(name, KeySet.all()))
                        .toList());
        empty.add(outbox);
    }
}
