package dev.spream.cli;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.SpannerException;
import com.google.cloud.spanner.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Commits random transactions over the tables of {@link MirrorTable}: inserts, updates of some columns, replacements and
 * deletes, of keys that are used again and again; so many changes a second, until it is stopped.
 */
final class MirrorWorkload implements AutoCloseable {
    private static final int NULL_ONE_IN = 6;
    private static final int LONGEST_ARRAY = 3;

    private final DatabaseClient client;
    private final boolean postgresDialect;
    private final int keys;
    private final int rowsPerTransaction;
    private final Random random;
    private final long changesPerSecond;
    private final AtomicLong changes = new AtomicLong();
    private final AtomicLong transactions = new AtomicLong();
    private final Map<MirrorTable, Map<Integer, RowState>> rows = new LinkedHashMap<>(); // confined to the thread
    private final Thread thread;
    private volatile boolean stopping;
    private volatile @Nullable Throwable failure;

    /** The state of a row, with the number of its changes. */
    private record RowState(boolean present, long revision) {}

    MirrorWorkload(
            DatabaseClient client,
            boolean postgresDialect,
            long changesPerSecond,
            int keys,
            int rowsPerTransaction,
            long seed) {
        this.client = client;
        this.postgresDialect = postgresDialect;
        this.changesPerSecond = changesPerSecond;
        this.keys = keys;
        this.rowsPerTransaction = rowsPerTransaction;
        this.random = new Random(seed);
        MirrorTable.ALL.forEach(table -> rows.put(table, new HashMap<>()));
        this.thread = Thread.ofVirtual().name("mirrored").start(this::commitAll);
    }

    private void commitAll() {
        try {
            long startedAt = System.nanoTime();
            while (!stopping) {
                commit();
                long due = startedAt + changes.get() * 1_000_000_000L / changesPerSecond;
                LockSupport.parkNanos(due - System.nanoTime());
            }
        } catch (Throwable t) {
            failure = t;
        }
    }

    private void commit() {
        List<Mutation> mutations = new ArrayList<>();
        Set<List<Object>> touched = new HashSet<>();
        int size = 1 + random.nextInt(rowsPerTransaction);
        for (int i = 0; i < size; i++) {
            MirrorTable table = MirrorTable.ALL.get(Math.min(random.nextInt(8), MirrorTable.ALL.size() - 1));
            int id = random.nextInt(keys);
            if (touched.add(List.of(table.name(), id))) {
                mutations.add(change(table, id));
            }
        }
        write(mutations);
        changes.addAndGet(mutations.size());
        transactions.incrementAndGet();
    }

    /** Repeats what was aborted; the emulator commits a mutation or says that it did not. */
    private void write(List<Mutation> mutations) {
        while (true) {
            try {
                client.write(mutations);
                return;
            } catch (SpannerException e) {
                if (!e.isRetryable()) {
                    throw e;
                }
            }
        }
    }

    private Mutation change(MirrorTable table, int id) {
        Map<Integer, RowState> states = rows.getOrDefault(table, new HashMap<>());
        RowState state = states.getOrDefault(id, new RowState(false, 0));
        long revision = state.revision() + 1;
        if (state.present() && (!table.hasRevision() || random.nextInt(4) == 0)) {
            states.put(id, new RowState(false, revision));
            return Mutation.delete(table.name(), KeySet.singleKey(key(table, id)));
        }
        states.put(id, new RowState(true, revision));
        boolean replaces = state.present() && random.nextInt(4) == 0;
        Mutation.WriteBuilder write = !state.present()
                ? Mutation.newInsertBuilder(table.name())
                : replaces ? Mutation.newReplaceBuilder(table.name()) : Mutation.newUpdateBuilder(table.name());
        for (String column : table.key()) {
            write.set(column).to(keyValue(column, id));
        }
        if (table.hasRevision()) {
            write.set(MirrorTable.REVISION).to(revision);
        }
        for (String column : table.valueColumns()) {
            if (random.nextInt(3) > 0) {
                write.set(column).to(any(table, column));
            }
        }
        return write.build();
    }

    /** One key a number, in whatever columns the key has. */
    private Value keyValue(String column, int id) {
        return switch (column) {
            case "Region" -> Value.string(List.of("eu", "ús", "\"x\\y\"").get(id % 3));
            case "Day" -> MirrorType.DATE.value("2026-01-%02d".formatted(1 + id % 28), postgresDialect);
            default -> Value.int64(id * 7L - 1000);
        };
    }

    private Key key(MirrorTable table, int id) {
        Key.Builder key = Key.newBuilder();
        for (String column : table.key()) {
            Value value = keyValue(column, id);
            switch (column) {
                case "Region" -> key.append(value.getString());
                case "Day" -> key.append(value.getDate());
                default -> key.append(value.getInt64());
            }
        }
        return key.build();
    }

    private Value any(MirrorTable table, String name) {
        MirrorTable.Column column = table.column(name);
        if (!column.array()) {
            return column.type().value(anyOrNull(column.type()), postgresDialect);
        }
        if (random.nextInt(NULL_ONE_IN) == 0) {
            return column.type().array(null, postgresDialect);
        }
        List<@Nullable String> elements = new ArrayList<>();
        for (int i = random.nextInt(LONGEST_ARRAY + 1); i > 0; i--) {
            elements.add(anyOrNull(column.type()));
        }
        return column.type().array(elements, postgresDialect);
    }

    private @Nullable String anyOrNull(MirrorType type) {
        return random.nextInt(NULL_ONE_IN) == 0 ? null : type.any(random);
    }

    /** Returns the number of rows changed so far. */
    long changes() {
        requireNoFailure();
        return changes.get();
    }

    /** Returns the number of transactions committed so far. */
    long transactions() {
        requireNoFailure();
        return transactions.get();
    }

    private void requireNoFailure() {
        if (failure != null) {
            throw new AssertionError("the workload failed", failure);
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
