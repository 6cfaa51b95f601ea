package dev.spream.storage.spanner;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.TransactionContext;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.storage.spanner.client.Timestamps;
import dev.spream.testkit.partition.PartitionStorageFixture;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Storages over empty tables. Time passes by moving the stored times back. */
final class SpannerStorageFixture implements PartitionStorageFixture {
    private static final Duration TIMEOUT = Duration.ofSeconds(30); // an emulator needs seconds for thousands of rows

    private final MetadataDatabase database;
    private final Duration timeout;
    private final ReentrantLock opening = new ReentrantLock();
    private final Map<Part, PartitionStorage> storages = new EnumMap<>(Part.class); // guarded by the lock
    private final List<String> tables = new CopyOnWriteArrayList<>();

    /** The storages of a test, each opened when it is asked for: most tests need one. */
    private enum Part {
        STORAGE,
        ANOTHER_CONNECTION,
        ANOTHER_SUBSCRIPTION
    }

    SpannerStorageFixture(MetadataDatabase database) {
        this(database, TIMEOUT);
    }

    SpannerStorageFixture(MetadataDatabase database, Duration timeout) {
        this.database = database;
        this.timeout = timeout;
        tables.add(database.emptyTable());
        storage();
    }

    String table() {
        return tables.getFirst();
    }

    @Override
    public PartitionStorage storage() {
        return open(Part.STORAGE, database.connection(), this::table);
    }

    @Override
    public PartitionStorage anotherConnection() {
        return open(Part.ANOTHER_CONNECTION, database.otherConnection(), this::table);
    }

    @Override
    public PartitionStorage anotherSubscription() {
        return open(Part.ANOTHER_SUBSCRIPTION, database.connection(), () -> {
            tables.add(database.emptyTable());
            return tables.getLast();
        });
    }

    private PartitionStorage open(Part part, SpannerConnection connection, Supplier<String> table) {
        opening.lock();
        try {
            PartitionStorage known = storages.get(part);
            if (known != null) {
                return known;
            }
            PartitionStorage opened = SpannerPartitionStorage.open(connection, table.get(), timeout);
            storages.put(part, opened);
            return opened;
        } finally {
            opening.unlock();
        }
    }

    @Override
    public void passTime(Duration time) {
        for (String name : tables) {
            MetadataTables names = new MetadataTables(name, database.dialect());
            database.client().readWriteTransaction().run(context -> {
                moveBack(context, names.partitions(), "PartitionToken", "LeaseUntil", time);
                moveBack(context, names.workers(), "WorkerId", "AliveUntil", time);
                return null;
            });
        }
    }

    private static void moveBack(TransactionContext context, String table, String key, String column, Duration time) {
        for (Struct row : MetadataReads.all(context.read(table, KeySet.all(), List.of(key, column)))) {
            if (!row.isNull(column)) {
                Timestamp moved = Timestamps.toTimestamp(
                        Timestamps.toInstant(row.getTimestamp(column)).minus(time));
                context.buffer(Mutation.newUpdateBuilder(table)
                        .set(key)
                        .to(row.getString(key))
                        .set(column)
                        .to(moved)
                        .build());
            }
        }
    }

    @Override
    public void close() {
        storages.values().forEach(PartitionStorage::close);
        tables.forEach(database::giveBack);
    }
}
