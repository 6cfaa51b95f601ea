package dev.spream.cli;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.SpannerException;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Counts, in rows of a table that a change stream watches: every transaction sets a few counters to their next number, so
 * the numbers of a key say which of its changes must come after which.
 */
final class CounterWorkload implements AutoCloseable {
    static final String STREAM = "CountersStream";
    static final String[] DDL = {
        "CREATE TABLE Counters (Id STRING(MAX) NOT NULL, Number INT64 NOT NULL) PRIMARY KEY (Id)",
        "CREATE CHANGE STREAM " + STREAM + " FOR Counters"
    };

    /** Returns the statements with a stream of that partition mode. */
    static String[] ddl(PartitionMode mode) {
        return new String[] {DDL[0], DDL[1] + " OPTIONS (partition_mode = '" + mode + "')"};
    }

    private static final int KEYS = 40;
    private static final int KEYS_PER_TRANSACTION = 3;
    private static final long PAUSE_NANOS = 40_000_000;

    /** A counter and a number it was set to. */
    record Count(String key, long number) {}

    private final DatabaseClient client;
    private final Random random;
    private final Map<String, Long> committed = new LinkedHashMap<>(); // guarded by itself
    private final Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    CounterWorkload(DatabaseClient client, long seed) {
        this.client = client;
        this.random = new Random(seed);
        this.thread = Thread.ofVirtual().name("counters").start(this::commitUntilStopped);
    }

    static List<Count> countersOf(DataChangeRecord change) {
        List<Count> counts = new ArrayList<>();
        for (Mod mod : change.mods()) {
            counts.add(new Count(
                    mod.keys().string("Id").orElseThrow(),
                    mod.newValues().int64("Number").orElseThrow()));
        }
        return counts;
    }

    private void commitUntilStopped() {
        try {
            while (!stopping) {
                commit();
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } catch (Throwable t) {
            failure = t;
        }
    }

    private void commit() {
        Map<String, Long> next = new LinkedHashMap<>();
        for (int i = 0; i < 1 + random.nextInt(KEYS_PER_TRANSACTION); i++) {
            String key = "k%02d".formatted(random.nextInt(KEYS));
            next.put(key, last(key) + 1);
        }
        List<Mutation> mutations = new ArrayList<>();
        next.forEach((key, number) -> mutations.add(Mutation.newInsertOrUpdateBuilder("Counters")
                .set("Id")
                .to(key)
                .set("Number")
                .to(number)
                .build()));
        boolean done = false;
        while (!done) {
            try {
                client.write(mutations);
                done = true;
            } catch (SpannerException e) {
                if (!e.isRetryable()) {
                    throw e;
                }
            }
        }
        synchronized (committed) {
            committed.putAll(next);
        }
    }

    private long last(String key) {
        synchronized (committed) {
            return committed.getOrDefault(key, 0L);
        }
    }

    /** The last number of each key. */
    Map<String, Long> committed() {
        if (failure != null) {
            throw new AssertionError("the workload failed", failure);
        }
        synchronized (committed) {
            return Map.copyOf(committed);
        }
    }

    void stop() throws InterruptedException {
        stopping = true;
        thread.join();
    }

    @Override
    public void close() throws InterruptedException {
        stop();
    }
}
