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
 * The rows to write so that those of another reader become a subscription of ours: proofs of the ends that it knew, and
 * the record of the subscription. Computed from the rows alone; at least one is needed.
 */
final class AdoptionPlan {
    /** Longer than Beam takes to commit what it has read, which it does every 40 seconds or so. */
    private static final Duration COMMIT_TIME = Duration.ofMinutes(10);

    private final List<Struct> rows;
    private final Set<PartitionToken> unsettled;
    private final Map<PartitionToken, PartitionMetadata> partitions = new LinkedHashMap<>();
    private final Instant now;

    /**
     * @param rows all rows, with the columns {@link MetadataColumn#NAMES}
     * @param now when they were read; parents that are gone count as finished then
     */
    AdoptionPlan(List<Struct> rows, Instant now) {
        this.rows = rows;
        this.now = now;
        rows.stream()
                .map(row -> PartitionRows.metadata(row, now))
                .forEach(partition -> partitions.put(partition.token(), partition));
        unsettled = findUnsettled();
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

    /** Beam's watermarks are cut to milliseconds. */
    private boolean isUnsettled(PartitionToken token) {
        Instant watermark = requireNonNull(partitions.get(token)).watermark();
        return end(token, watermark)
                .at()
                .truncatedTo(ChronoUnit.MILLIS)
                .isAfter(watermark.truncatedTo(ChronoUnit.MILLIS));
    }

    int size() {
        return rows.size();
    }

    /**
     * The partitions that were called finished, and of which the last changes may not have been delivered: Beam says that a
     * partition is finished before the runner commits what was read of it, and stores the watermark afterwards. If it was
     * stopped in between, the watermark is before the start of the children, and what lies between went with the runner.
     */
    Set<PartitionToken> unsettled() {
        return unsettled;
    }

    /** The other finished partitions, each with what is known of its end. */
    Map<PartitionToken, PartitionEnd> ends() {
        return partitions.values().stream()
                .filter(partition ->
                        partition.isFinished() && partition.endProof().isEmpty())
                .filter(partition -> !unsettled.contains(partition.token()))
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

    /** Children of the root name it as their parent, or name none. */
    private static boolean continues(PartitionMetadata child, PartitionToken parent) {
        boolean ofRoot = child.parentTokens().isEmpty() && !child.token().isRoot();
        return child.parentTokens().contains(parent) || (parent.isRoot() && ofRoot);
    }

    /**
     * Proofs of the parents that are named and not stored: the row deletion policy took them a day after they had finished.
     * Their start and their own parents are lost with them.
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

    /** Where the subscription starts: with the root, or with the earliest row if the root is gone. */
    Instant start() {
        return Optional.ofNullable(partitions.get(PartitionToken.ROOT))
                .map(PartitionMetadata::startTimestamp)
                .or(() -> partitions.values().stream()
                        .map(PartitionMetadata::startTimestamp)
                        .min(Comparator.naturalOrder()))
                .orElseThrow();
    }

    /** Where it ends; empty for the last timestamp there is, and the one before, which Beam stores for "never". */
    Optional<Timestamp> end() {
        Timestamp end = root().getTimestamp(MetadataColumn.END_TIMESTAMP.columnName);
        Timestamp never = Timestamps.toTimestamp(PartitionRows.LAST.minusNanos(1));
        return end.compareTo(never) < 0 ? Optional.of(end) : Optional.empty();
    }

    long heartbeatMillis() {
        return root().getLong(MetadataColumn.HEARTBEAT_MILLIS.columnName);
    }

    /** End and heartbeat are the same in all rows. */
    private Struct root() {
        return rows.stream()
                .filter(row ->
                        row.getString(MetadataColumn.PARTITION_TOKEN.columnName).equals(PartitionToken.ROOT.value()))
                .findFirst()
                .orElseGet(rows::getFirst);
    }
}
