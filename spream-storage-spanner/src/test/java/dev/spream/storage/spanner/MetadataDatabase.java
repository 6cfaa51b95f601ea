package dev.spream.storage.spanner;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import dev.spream.servers.SpannerServer;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A database for metadata tables of many tests, on one server, in one dialect, with two clients: a client of Google's
 * emulator has one session, on which no two read-write transactions may run at a time.
 */
final class MetadataDatabase {
    private static final Map<String, MetadataDatabase> DATABASES = new ConcurrentHashMap<>();

    private final Dialect dialect;
    private final SpannerConnection connection;
    private final SpannerConnection other;
    private final AtomicInteger tables = new AtomicInteger();
    private final Queue<String> emptyTables = new ConcurrentLinkedQueue<>();

    private MetadataDatabase(SpannerServer server, Dialect dialect) {
        this.dialect = dialect;
        var name = DatabaseName.parse(server.createDatabase(dialect, List.of()).getName());
        this.connection = connect(server, name);
        this.other = connect(server, name);
    }

    private static SpannerConnection connect(SpannerServer server, DatabaseName name) {
        return SpannerConnection.builder(name)
                .emulatorHost(server.emulatorHost())
                .maxOpenQueries(1)
                .open();
    }

    /** The database of this run on that server in that dialect; it lives as long as the JVM. */
    static MetadataDatabase of(SpannerServer server, Dialect dialect) {
        return DATABASES.computeIfAbsent(server + " " + dialect, key -> new MetadataDatabase(server, dialect));
    }

    Dialect dialect() {
        return dialect;
    }

    SpannerConnection connection() {
        return connection;
    }

    /** As another process has it. */
    SpannerConnection otherConnection() {
        return other;
    }

    DatabaseClient client() {
        return connection.client();
    }

    /** A name that no table has. */
    String newTable() {
        return "Metadata_" + tables.incrementAndGet();
    }

    /** A table of ours with nothing in it. Making new ones for each test would take most of the time of all of them. */
    String emptyTable() {
        String table = emptyTables.poll();
        if (table == null) {
            table = newTable();
            SpannerPartitionTables.create(connection, table);
        }
        return table;
    }

    /** Empties the table for another test. */
    void giveBack(String table) {
        MetadataTables names = new MetadataTables(table, dialect);
        client().write(Stream.of(
                        names.partitions(), names.subscription(), names.workers(), names.proofs(), names.corrections())
                .map(name -> Mutation.delete(name, KeySet.all()))
                .toList());
        emptyTables.add(table);
    }
}
