package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Struct;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The rows to write to adopt the rows of another reader as a subscription: proofs of the ends that it recorded, and the
 * record of the subscription. Computed from its rows alone; at least one is needed.
 */
final class AdoptionPlan {
    /** The time within which Beam commits what it has read; it does so about every 40 seconds. */
    private static final Duration COMMIT_TIME = Duration.ofMinutes(10);

    private final List<Struct> rows;
    private final Map<PartitionToken, Instant> continued;
    private final Map<PartitionToken, PartitionMetadata> partitions = new LinkedHashMap<>();
    private final Instant now;
    private final Instant start;

    /**
     * @param rows all rows, with the columns {@link MetadataColumn#NAMES}
     * @param now the time at which they were read; missing parents count as finished at that time
     */
    AdoptionPlan(List<Struct> rows, Instant now) {
        this.rows = rows;
        this.now = now;
        rows.stream()
                .map(row -> PartitionRows.metadata(row, now))
                .forEach(partition -> partitions.put(partition.token(), partition));
        start = findStart();
        continued = findContinued();
    }

    private Map<PartitionToken, Instant> findContinued() {
        Set<PartitionToken> unsettled = findUnsettled();
        List<PartitionMetadata> read = partitions.values().stream()
                .filter(partition -> !partition.isFinished() || unsettled.contains(partition.token()))
                .toList();
        if (!partitions.values().stream()
                .allMatch(partition -> partition.token().isRoot() || isOfMutableKeyRange(partition))) {
            return read.stream()
                    .filter(PartitionMetadata::isFinished)
                    .collect(Collectors.toMap(PartitionMetadata::token, PartitionMetadata::watermark));
        }
        Instant earliest = read.stream()
                .map(PartitionMetadata::watermark)
                .min(Comparator.naturalOrder())
                .orElse(Instant.MAX);
        return partitions.values().stream()
                .filter(partition -> !partition.watermark().isBefore(earliest.truncatedTo(ChronoUnit.MILLIS)))
                .filter(partition ->
                        !partition.isFinished() || !partition.token().isRoot())
                .collect(Collectors.toMap(
                        PartitionMetadata::token,
                        partition ->
                                partition.startTimestamp().isAfter(earliest) ? partition.startTimestamp() : earliest));
    }

    private Set<PartitionToken> findUnsettled() {
        Instant lastChange = rows.stream()
                .flatMap(PartitionRows::times)
                .max(Comparator.naturalOrder())
                .orElse(now);
        return rows.stream()
                .filter(row -> PartitionRows.findInstant(row, MetadataColumn.FINISHED_AT)
                        .filter(lastChange.minus(COMMIT_TIME)::isBefore)
                        .isPresent())
                .map(row -> new PartitionToken(row.getString(MetadataColumn.PARTITION_TOKEN.columnName)))
                .filter(this::isUnsettled)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** Beam's watermarks are truncated to milliseconds. */
    private boolean isUnsettled(PartitionToken token) {
        PartitionMetadata partition = requireNonNull(partitions.get(token));
        Instant watermark = partition.watermark();
        PartitionEnd end = end(token, watermark);
        if (end.children().isEmpty() && isOfMutableKeyRange(partition)) {
            return end().filter(at -> !watermark.isBefore(Timestamps.toInstant(at)))
                    .isEmpty();
        }
        return end.at().truncatedTo(ChronoUnit.MILLIS).isAfter(watermark.truncatedTo(ChronoUnit.MILLIS));
    }

    /** Returns whether the row may be of a stream with mutable key ranges: those of Beam have no parents. */
    private static boolean isOfMutableKeyRange(PartitionMetadata partition) {
        return partition.parentTokens().isEmpty() && !partition.token().isRoot();
    }

    int size() {
        return rows.size();
    }

    /**
     * Returns the partitions that do not just continue at their state and watermark, each with the time to read it from.
     *
     * <p>Beam marks a partition as finished before the runner commits what was read of it, and stores the watermark
     * afterwards. If it was stopped in between, the watermark is before the start of the children, and the changes between
     * them were lost with the runner. In a stream with mutable key ranges the rows have no children, and the end is
     * unknown: every partition that was finished that late counts.
     *
     * <p>In such a stream keys may have moved from a partition with an earlier watermark into one with a later watermark,
     * whose changes were delivered, and that reader stored no move. So all partitions, finished ones too, are read
     * from the earliest watermark of those that are unfinished: what is delivered from then on is in order.
     */
    Map<PartitionToken, Instant> continued() {
        return continued;
    }

    /** Returns the other finished partitions, each with the known parts of its end. */
    Map<PartitionToken, PartitionEnd> ends() {
        return partitions.values().stream()
                .filter(partition ->
                        partition.isFinished() && partition.endProof().isEmpty())
                .filter(partition -> !continued.containsKey(partition.token()))
                .collect(Collectors.toMap(
                        PartitionMetadata::token, partition -> end(partition.token(), partition.watermark())));
    }

    private PartitionEnd end(PartitionToken token, Instant otherwise) {
        List<PartitionMetadata> children = partitions.values().stream()
                .filter(partition -> continues(partition, token))
                .toList();
        Instant at = children.stream()
                .map(PartitionMetadata::startTimestamp)
                .min(Comparator.naturalOrder())
                .orElse(otherwise);
        return new PartitionEnd(
                PartitionEnd.Kind.ADOPTED,
                at,
                children.stream().map(PartitionMetadata::token).toList());
    }

    /**
     * Returns whether the child has that parent; children of the root name it as their parent, or name none. Where key
     * ranges are mutable no row names a parent, and those of the root start with it.
     */
    private boolean continues(PartitionMetadata child, PartitionToken parent) {
        boolean ofRoot = child.parentTokens().isEmpty()
                && !child.token().isRoot()
                && !child.startTimestamp().isAfter(start);
        return child.parentTokens().contains(parent) || (parent.isRoot() && ofRoot);
    }

    /**
     * Returns proofs of the parents that are named but not stored, since the row deletion policy deleted them a day
     * after they had finished. Their start and their own parents are lost with them.
     */
    List<FinishedPartition> missingParents() {
        List<PartitionToken> missing = partitions.values().stream()
                .flatMap(partition -> partition.parentTokens().stream())
                .distinct()
                .filter(parent -> !partitions.containsKey(parent))
                .collect(Collectors.toCollection(ArrayList::new));
        if (!partitions.containsKey(PartitionToken.ROOT) && !missing.contains(PartitionToken.ROOT)) {
            missing.add(PartitionToken.ROOT);
        }
        return missing.stream()
                .map(parent -> new FinishedPartition(parent, List.of(), start(), end(parent, start()), now, List.of()))
                .toList();
    }

    /** Returns the start of the subscription: that of the root, or that of the earliest row if the root was deleted. */
    Instant start() {
        return start;
    }

    private Instant findStart() {
        return Optional.ofNullable(partitions.get(PartitionToken.ROOT))
                .map(PartitionMetadata::startTimestamp)
                .or(() -> partitions.values().stream()
                        .map(PartitionMetadata::startTimestamp)
                        .min(Comparator.naturalOrder()))
                .orElseThrow();
    }

    /**
     * Returns the end of the subscription; empty for the last possible timestamp, and for the one before, which Beam
     * stores for "no end".
     */
    Optional<Timestamp> end() {
        Timestamp end = root().getTimestamp(MetadataColumn.END_TIMESTAMP.columnName);
        Timestamp never = Timestamps.toTimestamp(PartitionRows.LAST.minusNanos(1));
        return end.compareTo(never) < 0 ? Optional.of(end) : Optional.empty();
    }

    long heartbeatMillis() {
        return root().getLong(MetadataColumn.HEARTBEAT_MILLIS.columnName);
    }

    /** Returns the root; end and heartbeat are the same in all rows. */
    private Struct root() {
        return rows.stream()
                .filter(row ->
                        row.getString(MetadataColumn.PARTITION_TOKEN.columnName).equals(PartitionToken.ROOT.value()))
                .findFirst()
                .orElseGet(rows::getFirst);
    }
}
