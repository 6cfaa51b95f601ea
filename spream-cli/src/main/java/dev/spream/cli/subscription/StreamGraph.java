package dev.spream.cli.subscription;

import dev.spream.core.consume.Ordering;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionMode;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.core.subscription.Subscriber;
import dev.spream.core.subscription.SubscriberOptions;
import dev.spream.core.subscription.SubscriptionListener;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/**
 * The partitions of a change stream over a period of time.
 *
 * @param partitions in the order of the lineage
 * @param moves the key ranges that moved between living partitions, in order of time
 * @param changes the numbers of data change records of partitions that had any
 * @param counts the numbers of splits, merges and moves of partitions
 */
record StreamGraph(
        String stream,
        PartitionMode mode,
        Instant start,
        Instant end,
        Collection<PartitionMetadata> partitions,
        List<PartitionEventRecord> moves,
        Map<PartitionToken, Long> changes,
        PartitionTally.Counts counts) {
    private static final int MAX_INFLIGHT = 100;

    /**
     * Reads a stream from start to end; its changes are counted and dropped.
     *
     * @param progress observes the reading
     */
    static StreamGraph read(ChangeStreamSource source, Instant start, Instant end, SubscriptionListener progress) {
        PartitionTally tally = new PartitionTally();
        Set<PartitionEventRecord> moves = ConcurrentHashMap.newKeySet();
        Map<PartitionToken, LongAdder> changes = new ConcurrentHashMap<>();
        InMemoryPartitionStorage storage = new InMemoryPartitionStorage();
        SubscriberOptions options = SubscriberOptions.builder()
                .startAt(start)
                .endAt(end)
                .ordering(Ordering.NONE)
                .maxInflight(MAX_INFLIGHT)
                .listener(progress)
                .listener(tally)
                .build();
        ChangeStreamSource recorded = new ReadRecords(source, (partition, record) -> keep(record, moves));
        try (Subscriber subscriber =
                Subscriber.builder(recorded, storage).options(options).build()) {
            subscriber.run(
                    (change, delivery) -> changes.computeIfAbsent(delivery.partition(), partition -> new LongAdder())
                            .increment());
        }
        return new StreamGraph(
                source.streamName(),
                source.partitionMode(),
                start,
                end,
                storage.lineage().partitions(),
                moves.stream()
                        .sorted(Comparator.comparing(PartitionEventRecord::commitTimestamp)
                                .thenComparing(PartitionEventRecord::partitionToken)
                                .thenComparing(PartitionEventRecord::recordSequence))
                        .toList(),
                changes.entrySet().stream()
                        .collect(Collectors.toUnmodifiableMap(
                                Map.Entry::getKey, entry -> entry.getValue().sum())),
                tally.counts());
    }

    private static void keep(ChangeRecord record, Set<PartitionEventRecord> moves) {
        if (record instanceof PartitionEventRecord event) {
            moves.add(event);
        }
    }

    /** Returns the moves of the key ranges of a partition. */
    List<PartitionEventRecord> moves(PartitionMetadata partition) {
        return moves.stream()
                .filter(move -> move.partitionToken().equals(partition.token().value()))
                .toList();
    }
}
