package dev.spream.benchmarks.reading;

import dev.spream.benchmarks.harness.Parallel;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.source.PartitionQuery;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;

/**
 * A source without an engine: the initial query and its partitions, each on a thread of its own, records counted and
 * discarded. The difference to a {@link BareLoop} is the cost of the decoder, the difference to a subscriber that of
 * the engine.
 */
record SourceLoop(ChangeStreamSource source) {
    /** Reads everything between the two times, and returns the number of data change records. */
    long run(Instant start, Instant end) throws InterruptedException, ExecutionException {
        Reading root = new Reading();
        root.read(query(PartitionToken.ROOT, start, end));
        return Parallel.sum(Executors.newVirtualThreadPerTaskExecutor(), root.children.size(), i -> () -> {
            Reading partition = new Reading();
            partition.read(query(root.children.get(i), start, end));
            return partition.records;
        });
    }

    private static PartitionQuery query(PartitionToken token, Instant start, Instant end) {
        return new PartitionQuery(token, start, Optional.of(end), Duration.ofSeconds(10));
    }

    private final class Reading {
        private final List<PartitionToken> children = new ArrayList<>();
        private long records;

        void read(PartitionQuery query) throws InterruptedException {
            try (ChangeStreamCursor cursor = source.query(query)) {
                Optional<ChangeRecord> next = cursor.next();
                while (next.isPresent()) {
                    take(next.get());
                    next = cursor.next();
                }
            }
        }

        private void take(ChangeRecord record) {
            switch (record) {
                case DataChangeRecord change -> records++;
                case HeartbeatRecord heartbeat -> {}
                case PartitionEventRecord event -> {}
                case PartitionEndRecord end -> {}
                case PartitionStartRecord start ->
                    start.partitionTokens().forEach(token -> children.add(new PartitionToken(token)));
                case ChildPartitionsRecord childPartitions -> {
                    for (ChildPartition child : childPartitions.childPartitions()) {
                        children.add(new PartitionToken(child.token()));
                    }
                }
            }
        }
    }
}
