package dev.spream.storage.spanner;

import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import dev.spream.core.StorageException;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.storage.spanner.client.DatabaseCalls;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Adopts the rows of another reader as a subscription. Unfinished partitions are read on, at epoch 0 and without an owner,
 * so that workers continue where that reader stopped; so are finished ones that it may not have delivered to their end. In
 * a stream with mutable key ranges all of them continue at the earliest watermark ({@link AdoptionPlan#continued}).
 *
 * <p>The subscription's row is written last, and each earlier transaction first checks that it does not exist: an
 * interrupted adoption is repeated, and one by another process is not changed.
 */
final class TableAdoption {
    /**
     * The time without changes after which a reader counts as stopped. A running one moves a watermark about every
     * heartbeat, which is at most five minutes.
     */
    private static final Duration QUIET = Duration.ofMinutes(2);

    private static final int BATCH = 1_000;

    private final MetadataTables tables;
    private final MetadataReads reads;
    private final GroupWriter writer;

    TableAdoption(SpannerConnection connection, MetadataTables tables, DatabaseCalls calls) {
        this.tables = tables;
        this.reads = new MetadataReads(connection.client(), tables, calls);
        this.writer = new GroupWriter(connection.client(), tables, calls, connection::rollBack);
    }

    /**
     * Fails if rows changed recently, which indicates that the reader of the table is running. Checks only Beam's
     * columns.
     */
    void requireQuiet() {
        List<String> columns = MetadataColumn.ofBeam().stream()
                .map(column -> column.columnName)
                .toList();
        reads.atOneMoment("looking for changes", (snapshot, now) -> {
            return requireQuiet(MetadataReads.all(snapshot.read(tables.partitions(), KeySet.all(), columns)), now);
        });
    }

    private int requireQuiet(List<Struct> rows, Instant now) {
        List<Struct> unfinished = rows.stream()
                .filter(row -> PartitionRows.state(row) != PartitionState.FINISHED)
                .toList();
        if (unfinished.isEmpty()) {
            return 0;
        }
        Duration heartbeat = unfinished.stream()
                .map(row -> Duration.ofMillis(row.getLong(MetadataColumn.HEARTBEAT_MILLIS.columnName)))
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
        Duration quiet = heartbeat.multipliedBy(2).compareTo(QUIET) > 0 ? heartbeat.multipliedBy(2) : QUIET;
        rows.stream()
                .flatMap(PartitionRows::times)
                .filter(time -> time.isAfter(now.minus(quiet)))
                .max(Comparator.naturalOrder())
                .ifPresent(last -> {
                    throw new StorageException(
                            ("table %s changed at %s, less than %d s before %s: its reader may still be running, and two"
                                            + " readers would not coordinate. Nothing was changed. Stop that reader; then"
                                            + " wait that long and try again, or call SpannerPartitionTables.create with force")
                                    .formatted(tables.partitions(), last, quiet.toSeconds(), now),
                            false,
                            null);
                });
        return unfinished.size();
    }

    /** Returns whether there are rows and no subscription. */
    boolean isNeeded() {
        return reads.atOneMoment("looking for partitions to adopt", (snapshot, now) -> {
            return snapshot.readRow(tables.subscription(), SubscriptionRows.KEY, List.of(MetadataDdl.ID)) == null
                    && WriteTransaction.hasRow(snapshot, tables);
        });
    }

    /** Adopts all rows and returns their number; 0 if another process has adopted them. */
    int run() {
        AdoptionPlan plan = reads.atOneMoment("reading the partitions to adopt", (snapshot, now) -> {
            return new AdoptionPlan(
                    MetadataReads.all(snapshot.read(tables.partitions(), KeySet.all(), MetadataColumn.NAMES)), now);
        });
        for (List<Map.Entry<PartitionToken, Instant>> part :
                parts(List.copyOf(plan.continued().entrySet()))) {
            writer.write(unlessAdopted(transaction -> part.forEach(
                    from -> transaction.partition(from.getKey()).ifPresent(row -> row.continueFrom(from.getValue())))));
        }
        for (List<Map.Entry<PartitionToken, PartitionEnd>> part :
                parts(List.copyOf(plan.ends().entrySet()))) {
            writer.write(unlessAdopted(transaction -> part.forEach(end -> transaction
                    .partition(end.getKey())
                    .filter(PartitionRow::isFinished)
                    .ifPresent(row -> row.adoptEnd(end.getValue())))));
        }
        for (List<FinishedPartition> part : parts(plan.missingParents())) {
            writer.write(unlessAdopted(transaction ->
                    part.forEach(proof -> transaction.write(FinishedPartitionRows.write(tables, proof)))));
        }
        boolean adopted = writer.write(unlessAdopted(transaction -> transaction.write(subscription(plan))));
        return adopted ? plan.size() : 0;
    }

    private static WriteOperation<Boolean> unlessAdopted(Consumer<WriteTransaction> work) {
        return WriteOperation.alone("adopting partitions", transaction -> {
            boolean adopted = SubscriptionRows.read(transaction) != null;
            if (!adopted) {
                work.accept(transaction);
            }
            return !adopted;
        });
    }

    private Mutation subscription(AdoptionPlan plan) {
        return SubscriptionRows.insert(
                        tables, Timestamps.toTimestamp(plan.start()), plan.end().orElse(null), plan.heartbeatMillis())
                .set(MetadataDdl.COMPLETED)
                .to(false)
                .build();
    }

    private static <E> List<List<E>> parts(List<E> all) {
        List<List<E>> parts = new ArrayList<>();
        for (int from = 0; from < all.size(); from += BATCH) {
            parts.add(all.subList(from, Math.min(from + BATCH, all.size())));
        }
        return parts;
    }
}
