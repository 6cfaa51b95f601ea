package dev.spream.storage.spanner;

import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * The stream whose partitions a recorded table names, after the recording: each ends in the children that are in the table,
 * or a second after its query's start in one that is not, which lives for ever. It remembers where queries started.
 */
final class RecordedStream implements ChangeStreamSource {
    private static final String LATER = "after-";

    private final RecordedTable table;
    private final Map<PartitionToken, Instant> queries = new ConcurrentHashMap<>();

    RecordedStream(RecordedTable table) {
        this.table = table;
    }

    /** Returns the start of the query of each read partition, by the table. */
    Map<PartitionToken, Instant> queries() {
        return Map.copyOf(queries);
    }

    @Override
    public String streamName() {
        return "AccountStream";
    }

    @Override
    public PartitionMode partitionMode() {
        return PartitionMode.IMMUTABLE_KEY_RANGE;
    }

    @Override
    public Optional<Duration> retention() {
        return Optional.of(Duration.ofDays(1));
    }

    @Override
    public int maxOpenQueries() {
        return 1_000;
    }

    @Override
    public Instant serverTime() {
        return Instant.now();
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        if (query.token().value().startsWith(LATER)) {
            return new Cursor(null);
        }
        queries.merge(query.token(), query.startTimestamp(), (first, again) -> {
            throw new IllegalStateException(query.token().abbreviated() + " is read twice");
        });
        return new Cursor(end(query));
    }

    private ChildPartitionsRecord end(PartitionQuery query) {
        String token = query.token().value();
        List<Map<String, String>> children = table.rows().stream()
                .filter(row -> RecordedTable.parents(row).contains(token))
                .toList();
        if (children.isEmpty()) {
            return new ChildPartitionsRecord(
                    query.startTimestamp().plusSeconds(1),
                    "0",
                    List.of(new ChildPartition(LATER + token, List.of(token))));
        }
        return new ChildPartitionsRecord(
                RecordedTable.time(children.getFirst(), MetadataColumn.START_TIMESTAMP),
                "0",
                children.stream()
                        .map(row -> new ChildPartition(
                                RecordedTable.value(row, MetadataColumn.PARTITION_TOKEN), RecordedTable.parents(row)))
                        .toList());
    }

    /** Confined to its reader's thread, but for closing. */
    private static final class Cursor implements ChangeStreamCursor {
        private final Queue<ChangeRecord> records = new ArrayDeque<>();
        private final boolean ends;
        private final CountDownLatch closed = new CountDownLatch(1);

        Cursor(@Nullable ChildPartitionsRecord end) {
            ends = end != null;
            if (end != null) {
                records.add(end);
            }
        }

        @Override
        public Optional<ChangeRecord> next() throws InterruptedException {
            Optional<ChangeRecord> record = Optional.ofNullable(records.poll());
            if (record.isEmpty() && !ends) {
                closed.await();
            }
            return record;
        }

        @Override
        public int prefetched() {
            return 0;
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    @Override
    public void close() {}
}
