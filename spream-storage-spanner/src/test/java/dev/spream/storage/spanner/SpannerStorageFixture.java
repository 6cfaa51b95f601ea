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
import java.util.List;

/** Storages over empty tables. Time passes by moving the stored times back. */
final class SpannerStorageFixture implements PartitionStorageFixture {
    private static final Duration TIMEOUT = Duration.ofSeconds(30); // an emulator needs seconds for thousands of rows

    private final MetadataDatabase database;
    private final String table;
    private final String otherTable;
    private final PartitionStorage storage;
    private final PartitionStorage anotherConnection;
    private final PartitionStorage anotherSubscription;

    SpannerStorageFixture(MetadataDatabase database) {
        this(database, TIMEOUT);
    }

    SpannerStorageFixture(MetadataDatabase database, Duration timeout) {
        this.database = database;
        this.table = database.emptyTable();
        this.otherTable = database.emptyTable();
        storage = SpannerPartitionStorage.open(database.connection(), table, timeout);
        anotherConnection = SpannerPartitionStorage.open(database.otherConnection(), table, timeout);
        anotherSubscription = SpannerPartitionStorage.open(database.connection(), otherTable, timeout);
    }

    String table() {
        return table;
    }

    @Override
    public PartitionStorage storage() {
        return storage;
    }

    @Override
    public PartitionStorage anotherConnection() {
        return anotherConnection;
    }

    @Override
    public PartitionStorage anotherSubscription() {
        return anotherSubscription;
    }

    @Override
    public void passTime(Duration time) {
        for (String name : List.of(table, otherTable)) {
            MetadataTables tables = new MetadataTables(name, database.dialect());
            database.client().readWriteTransaction().run(context -> {
                moveBack(context, tables.partitions(), "PartitionToken", "LeaseUntil", time);
                moveBack(context, tables.workers(), "WorkerId", "AliveUntil", time);
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
        storage.close();
        anotherConnection.close();
        anotherSubscription.close();
        database.giveBack(table);
        database.giveBack(otherTable);
    }
}
