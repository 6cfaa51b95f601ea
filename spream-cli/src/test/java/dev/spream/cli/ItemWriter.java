package dev.spream.cli;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Spanner;
import dev.spream.servers.SpannerServer;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Inserts one item after the other, fifty a second at most, until it is stopped. */
final class ItemWriter implements AutoCloseable {
    private static final long PAUSE_NANOS = 40_000_000;

    private final Spanner spanner;
    private final Thread thread;
    private final AtomicLong written = new AtomicLong();
    private volatile boolean stopped;

    ItemWriter(SpannerServer server, DatabaseId database) {
        spanner = server.client();
        thread = Thread.ofVirtual().start(() -> write(database));
    }

    /** A database with the items, and a change stream of them alone. */
    static DatabaseId database(SpannerServer server) {
        return server.createDatabase(
                Dialect.GOOGLE_STANDARD_SQL,
                List.of(
                        "CREATE TABLE Items (Id INT64 NOT NULL) PRIMARY KEY (Id)",
                        "CREATE CHANGE STREAM Changes FOR Items"));
    }

    private void write(DatabaseId database) {
        var client = spanner.getDatabaseClient(database);
        while (!stopped) {
            client.write(List.of(Mutation.newInsertBuilder("Items")
                    .set("Id")
                    .to(written.get())
                    .build()));
            written.incrementAndGet();
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Stops, and returns how many items there are: their ids begin at 0. */
    long stop() throws InterruptedException {
        stopped = true;
        thread.join();
        return written.get();
    }

    @Override
    public void close() throws InterruptedException {
        stop();
        spanner.close();
    }
}
