package dev.spream.interop;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.servers.OneCallAtATime;
import dev.spream.servers.SpannerServer;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.SpannerPartitionStorage;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A database of its own with a table of accounts, a change stream of it, and a writer that opens accounts. Writer,
 * source and storage have a client each: on a client of Google's emulator no two read-write transactions may run at a
 * time.
 */
final class AccountStream implements AutoCloseable {
    static final String NAME = "AccountStream";

    private final SpannerServer server;
    private final Dialect dialect;
    private final DatabaseName database;
    private final SpannerConnection writing;
    private final SpannerConnection reading;
    private final SpannerConnection storing;
    private final SpannerChangeStreamSource source;
    private final AtomicInteger accounts = new AtomicInteger();
    private final Set<String> written = ConcurrentHashMap.newKeySet();

    AccountStream(SpannerServer server, Dialect dialect) {
        this.server = server;
        this.dialect = dialect;
        this.database =
                DatabaseName.parse(server.createDatabase(dialect, ddl(dialect)).getName());
        this.writing = connect();
        this.reading = connect();
        this.storing = connect();
        this.source = SpannerChangeStreamSource.open(reading.client(), NAME);
    }

    private static List<String> ddl(Dialect dialect) {
        return switch (dialect) {
            case GOOGLE_STANDARD_SQL ->
                List.of(
                        "CREATE TABLE Account (Id STRING(36) NOT NULL) PRIMARY KEY (Id)",
                        "CREATE CHANGE STREAM AccountStream FOR Account");
            case POSTGRESQL ->
                List.of(
                        "CREATE TABLE \"Account\" (\"Id\" varchar(36) NOT NULL PRIMARY KEY)",
                        "CREATE CHANGE STREAM \"AccountStream\" FOR \"Account\"");
        };
    }

    private SpannerConnection connect() {
        return SpannerConnection.builder(database)
                .emulatorHost(server.emulatorHost())
                .open();
    }

    SpannerServer server() {
        return server;
    }

    DatabaseName database() {
        return database;
    }

    /** The connection of spream's storage. */
    SpannerConnection connection() {
        return storing;
    }

    /** Returns a storage over that table. */
    PartitionStorage storage(String table) {
        return OneCallAtATime.of(PartitionStorage.class, SpannerPartitionStorage.open(storing, table));
    }

    SpannerChangeStreamSource source() {
        return source;
    }

    /** Server and dialect, for the name of a file. */
    String label() {
        String of = server.name().toLowerCase(Locale.ROOT).replaceAll("\\W+", "-");
        return of + "-" + dialect.name().toLowerCase(Locale.ROOT);
    }

    /** Opens accounts, a transaction each. */
    void write(int count) {
        DatabaseClient client = writing.client();
        for (int i = 0; i < count; i++) {
            String id = "account-" + accounts.incrementAndGet();
            client.write(List.of(
                    Mutation.newInsertBuilder("Account").set("Id").to(id).build()));
            written.add(id);
        }
    }

    /** The ids of all accounts whose transactions have committed. */
    Set<String> written() {
        return Set.copyOf(written);
    }

    @Override
    public void close() {
        source.close();
        reading.close();
        storing.close();
        writing.close();
    }
}
