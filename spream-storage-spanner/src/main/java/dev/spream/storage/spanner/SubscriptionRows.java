package dev.spream.storage.spanner;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.core.StorageException;
import dev.spream.core.partition.ForgottenProofs;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads and writes the row with the record of the subscription. */
final class SubscriptionRows {
    static final Key KEY = Key.of(1);
    static final List<String> COLUMNS = List.of(
            MetadataDdl.STREAM_NAME,
            MetadataColumn.START_TIMESTAMP.columnName,
            MetadataColumn.END_TIMESTAMP.columnName,
            MetadataColumn.HEARTBEAT_MILLIS.columnName,
            MetadataDdl.PARTITION_MODE,
            MetadataDdl.COMPLETED,
            MetadataDdl.SNAPSHOT_QUERY,
            MetadataDdl.FORGOTTEN_BEFORE,
            MetadataDdl.KEPT_PARTITIONS);

    private SubscriptionRows() {}

    /** Returns the subscription; empty if it was adopted and not opened since, because its stream is not known then. */
    static Optional<SubscriptionRecord> record(Struct row) {
        return row.isNull(MetadataDdl.STREAM_NAME)
                ? Optional.empty()
                : Optional.of(record(
                        row,
                        row.getString(MetadataDdl.STREAM_NAME),
                        PartitionMode.valueOf(row.getString(MetadataDdl.PARTITION_MODE))));
    }

    private static SubscriptionRecord record(Struct row, String streamName, PartitionMode mode) {
        return new SubscriptionRecord(
                streamName,
                PartitionRows.instant(row, MetadataColumn.START_TIMESTAMP),
                PartitionRows.findInstant(row, MetadataColumn.END_TIMESTAMP),
                Duration.ofMillis(row.getLong(MetadataColumn.HEARTBEAT_MILLIS.columnName)),
                mode,
                row.getBoolean(MetadataDdl.COMPLETED),
                row.isNull(MetadataDdl.SNAPSHOT_QUERY)
                        ? Optional.empty()
                        : Optional.of(new PartitionToken(row.getString(MetadataDdl.SNAPSHOT_QUERY))),
                row.isNull(MetadataDdl.FORGOTTEN_BEFORE)
                        ? Optional.empty()
                        : Optional.of(new ForgottenProofs(
                                Timestamps.toInstant(row.getTimestamp(MetadataDdl.FORGOTTEN_BEFORE)),
                                Math.toIntExact(row.getLong(MetadataDdl.KEPT_PARTITIONS)))));
    }

    static WriteOperation<SubscriptionRecord> open(SubscriptionRecord requested) {
        return WriteOperation.alone("opening the subscription", transaction -> {
            Struct stored = read(transaction);
            if (stored == null) {
                return create(transaction, requested);
            }
            return record(stored).orElseGet(() -> nameAdopted(transaction, stored, requested));
        });
    }

    private static SubscriptionRecord create(WriteTransaction transaction, SubscriptionRecord requested) {
        if (WriteTransaction.hasRow(transaction.context(), transaction.tables())) {
            throw new StorageException(
                    ("table %s has partitions of another reader that were not adopted completely; nothing was changed."
                                    + " Run SpannerPartitionTables.create, spream tail with --create-table, or spream run with storage.spanner.create-table=true, once")
                            .formatted(transaction.tables().partitions()),
                    false,
                    null);
        }
        transaction.write(insert(transaction.tables(), requested));
        transaction.insert(PartitionRow.root(
                requested.startTimestamp(),
                Timestamps.toTimestamp(requested.endTimestamp().orElse(PartitionRows.LAST)),
                requested.heartbeatInterval()));
        return requested;
    }

    private static SubscriptionRecord nameAdopted(
            WriteTransaction transaction, Struct stored, SubscriptionRecord requested) {
        transaction.write(update(transaction.tables())
                .set(MetadataDdl.STREAM_NAME)
                .to(requested.streamName())
                .set(MetadataDdl.PARTITION_MODE)
                .to(requested.partitionMode().name())
                .build());
        return record(stored, requested.streamName(), requested.partitionMode());
    }

    private static Mutation insert(MetadataTables tables, SubscriptionRecord requested) {
        return insert(
                        tables,
                        Timestamps.toTimestamp(requested.startTimestamp()),
                        requested.endTimestamp().map(Timestamps::toTimestamp).orElse(null),
                        requested.heartbeatInterval().toMillis())
                .set(MetadataDdl.STREAM_NAME)
                .to(requested.streamName())
                .set(MetadataDdl.PARTITION_MODE)
                .to(requested.partitionMode().name())
                .set(MetadataDdl.COMPLETED)
                .to(requested.completed())
                .set(MetadataDdl.SNAPSHOT_QUERY)
                .to(requested.snapshot().map(PartitionToken::value).orElse(null))
                .build();
    }

    /** Returns an insert of the row, without the stream's name and mode and the completion. */
    static Mutation.WriteBuilder insert(
            MetadataTables tables, Timestamp start, @Nullable Timestamp end, long heartbeatMillis) {
        return Mutation.newInsertBuilder(tables.subscription())
                .set(MetadataDdl.ID)
                .to(1)
                .set(MetadataColumn.START_TIMESTAMP.columnName)
                .to(start)
                .set(MetadataColumn.END_TIMESTAMP.columnName)
                .to(end)
                .set(MetadataColumn.HEARTBEAT_MILLIS.columnName)
                .to(heartbeatMillis)
                .set(MetadataColumn.CREATED_AT.columnName)
                .to(Value.COMMIT_TIMESTAMP);
    }

    static WriteOperation<Boolean> complete() {
        return WriteOperation.alone("completing the subscription", transaction -> {
            Struct stored = read(transaction);
            if (stored == null || transaction.hasPartition(PartitionRows.unfinished())) {
                return false;
            }
            if (!stored.getBoolean(MetadataDdl.COMPLETED)) {
                transaction.write(update(transaction.tables())
                        .set(MetadataDdl.COMPLETED)
                        .to(true)
                        .build());
            }
            return true;
        });
    }

    static @Nullable Struct read(WriteTransaction transaction) {
        return transaction.context().readRow(transaction.tables().subscription(), KEY, COLUMNS);
    }

    private static Mutation.WriteBuilder update(MetadataTables tables) {
        return Mutation.newUpdateBuilder(tables.subscription())
                .set(MetadataDdl.ID)
                .to(1);
    }

    /** Returns a mutation of what a correction may change. */
    static Mutation corrected(MetadataTables tables, SubscriptionRecord corrected) {
        return update(tables)
                .set(MetadataColumn.START_TIMESTAMP.columnName)
                .to(Timestamps.toTimestamp(corrected.startTimestamp()))
                .set(MetadataColumn.END_TIMESTAMP.columnName)
                .to(corrected.endTimestamp().map(Timestamps::toTimestamp).orElse(null))
                .set(MetadataDdl.COMPLETED)
                .to(corrected.completed())
                .set(MetadataDdl.SNAPSHOT_QUERY)
                .to(corrected.snapshot().map(PartitionToken::value).orElse(null))
                .set(MetadataDdl.FORGOTTEN_BEFORE)
                .to(corrected
                        .forgotten()
                        .map(ForgottenProofs::before)
                        .map(Timestamps::toTimestamp)
                        .orElse(null))
                .set(MetadataDdl.KEPT_PARTITIONS)
                .to(corrected.forgotten().map(ForgottenProofs::kept).orElse(0))
                .build();
    }

    /** Stores that clean-up has removed a partition that finished at that time. */
    static void removed(WriteTransaction transaction, Instant finishedAt) {
        List<String> columns = List.of(MetadataDdl.REMOVED_UNTIL);
        Struct stored = transaction.context().readRow(transaction.tables().subscription(), KEY, columns);
        Timestamp until = Timestamps.toTimestamp(finishedAt);
        if (stored != null && (stored.isNull(0) || stored.getTimestamp(0).compareTo(until) < 0)) {
            transaction.write(update(transaction.tables())
                    .set(MetadataDdl.REMOVED_UNTIL)
                    .to(until)
                    .build());
        }
    }
}
