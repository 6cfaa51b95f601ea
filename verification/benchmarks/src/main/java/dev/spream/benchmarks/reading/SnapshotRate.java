package dev.spream.benchmarks.reading;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeyRange;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.ReadOnlyTransaction;
import com.google.cloud.spanner.ResultSet;
import dev.spream.benchmarks.harness.ChildJvm;
import dev.spream.benchmarks.harness.ClientLogging;
import dev.spream.benchmarks.harness.Comparison;
import dev.spream.benchmarks.harness.EmulatorProcess;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.Subscriber;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The rate at which the rows of a table come as a snapshot to a consumer that does nothing, compared with a bare read of
 * the same rows at one timestamp, in as many ranges at the same time; the server is in another process.
 */
public final class SnapshotRate {
    private static final int ROWS = Integer.getInteger("rows", 200_000);
    private static final int READS = Integer.getInteger("reads", 8);
    private static final int WARM_UPS = Integer.getInteger("warmUps", 2);
    private static final int TURNS = Integer.getInteger("turns", 5);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final int BATCH = 1_000;
    private static final String TABLE = "Accounts";

    private SnapshotRate() {}

    public static void main(String[] args) throws Exception {
        ClientLogging.silence();
        try (ChildJvm server = ChildJvm.start(EmulatorProcess.class, List.of("-Xmx3g"), "1");
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(EmulatorProcess.DATABASE))
                        .emulatorHost(server.nextLine())
                        .open()) {
            fill(connection.client());
            new Comparison("rows of a table at one timestamp, %d ranges at a time".formatted(READS), ROWS)
                    .add("bare read", () -> bare(connection.client()))
                    .add("spream, snapshot", () -> snapshot(connection))
                    .run(WARM_UPS, TURNS);
        }
    }

    private static void fill(DatabaseClient client) {
        for (int from = 0; from < ROWS; from += BATCH) {
            List<Mutation> rows = new ArrayList<>();
            for (int id = from; id < Math.min(ROWS, from + BATCH); id++) {
                rows.add(Mutation.newInsertBuilder(TABLE)
                        .set("Id")
                        .to(id)
                        .set("Owner")
                        .to("Ada Lovelace, 12 St James's Square, London")
                        .build());
            }
            client.write(rows);
        }
    }

    private static long bare(DatabaseClient client) throws Exception {
        try (ReadOnlyTransaction at = client.readOnlyTransaction();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Long>> ranges = new ArrayList<>();
            for (long i = 0; i < READS; i++) {
                KeySet range =
                        KeySet.range(KeyRange.closedOpen(Key.of(ROWS * i / READS), Key.of(ROWS * (i + 1) / READS)));
                ranges.add(threads.submit(() -> bare(at, range)));
            }
            long rows = 0;
            for (Future<Long> range : ranges) {
                rows += range.get();
            }
            return rows;
        }
    }

    private static long bare(ReadOnlyTransaction at, KeySet range) {
        long rows = 0;
        try (ResultSet row = at.read(TABLE, range, List.of("Id", "Owner"))) {
            while (row.next()) {
                rows += row.getLong(0) >= 0 && !row.getString(1).isEmpty() ? 1 : 0;
            }
        }
        return rows;
    }

    private static long snapshot(SpannerConnection connection) throws Exception {
        CountDownLatch left = new CountDownLatch(ROWS);
        ChangeHandler consumer = change -> left.countDown();
        try (ChangeStreamSource source = connection
                        .source(EmulatorProcess.STREAM)
                        .snapshotReads(READS)
                        .build();
                Subscriber subscriber = Subscriber.builder(source, new InMemoryPartitionStorage())
                        .options(options -> options.snapshot(true))
                        .build()) {
            Thread running = Thread.ofVirtual().start(() -> subscriber.run(consumer));
            boolean all = left.await(5, TimeUnit.MINUTES);
            subscriber.shutdown(TIMEOUT);
            running.join();
            return all ? ROWS : ROWS - left.getCount();
        }
    }
}
