package dev.spream.storage.spanner;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeyRange;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import dev.spream.core.StorageException;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Maps rows of the partitions' table to types of the core, and back. */
final class PartitionRows {
    /** The last timestamp of Spanner. Beam and the Go spream store it, or the one before, for "no end". */
    static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    private PartitionRows() {}

    /** Returns a partition as stored; its lease is live if it ends after that time. */
    static PartitionMetadata metadata(Struct row, Instant readAt) {
        try {
            Optional<WorkerId> owner = owner(row);
            Optional<Instant> leaseUntil = findInstant(row, MetadataColumn.LEASE_UNTIL);
            return new PartitionMetadata(
                    new PartitionToken(row.getString(MetadataColumn.PARTITION_TOKEN.columnName)),
                    tokens(row, MetadataColumn.PARENT_TOKENS),
                    instant(row, MetadataColumn.START_TIMESTAMP),
                    state(row),
                    instant(row, MetadataColumn.WATERMARK),
                    epoch(row),
                    owner,
                    leaseUntil,
                    owner.isPresent() && leaseUntil.filter(readAt::isBefore).isPresent(),
                    endProof(row),
                    instant(row, MetadataColumn.CREATED_AT),
                    findInstant(row, MetadataColumn.SCHEDULED_AT),
                    findInstant(row, MetadataColumn.RUNNING_AT),
                    findInstant(row, MetadataColumn.FINISHED_AT),
                    gaps(row),
                    moveIn(row),
                    moveOuts(row));
        } catch (IllegalArgumentException e) {
            throw damaged(row, e);
        }
    }

    static StorageException damaged(Struct row, RuntimeException cause) {
        return new StorageException(
                "the stored row of partition %s is invalid: %s; nothing was changed. Restore the row from a backup"
                        .formatted(row.getString(MetadataColumn.PARTITION_TOKEN.columnName), cause.getMessage()),
                false,
                cause);
    }

    static PartitionState state(Struct row) {
        String name = row.getString(MetadataColumn.STATE.columnName);
        try {
            return PartitionState.valueOf(name);
        } catch (IllegalArgumentException e) {
            throw new StorageException(
                    "partition %s is in state %s, which this version of spream does not support; nothing was changed"
                            .formatted(row.getString(MetadataColumn.PARTITION_TOKEN.columnName), name),
                    false,
                    e);
        }
    }

    /** Returns 0 for a row of another reader. */
    static long epoch(Struct row) {
        return row.isNull(MetadataColumn.EPOCH.columnName) ? 0 : row.getLong(MetadataColumn.EPOCH.columnName);
    }

    static Optional<WorkerId> owner(Struct row) {
        return findString(row, MetadataColumn.OWNER).map(WorkerId::new);
    }

    static Optional<PartitionEnd> endProof(Struct row) {
        return findString(row, MetadataColumn.END_PROOF)
                .map(kind -> new PartitionEnd(
                        PartitionEnd.Kind.valueOf(kind),
                        instant(row, MetadataColumn.END_PROOF_AT),
                        tokens(row, MetadataColumn.END_PROOF_CHILDREN)));
    }

    static List<PartitionGap> gaps(Struct row) {
        if (row.isNull(MetadataColumn.GAPS.columnName)) {
            return List.of();
        }
        List<Timestamp> ends = row.getTimestampList(MetadataColumn.GAPS.columnName);
        if (ends.size() % 2 != 0) {
            throw new IllegalArgumentException(
                    "%d timestamps are not pairs of a start and an end".formatted(ends.size()));
        }
        List<PartitionGap> gaps = new ArrayList<>();
        for (int i = 0; i < ends.size(); i += 2) {
            gaps.add(new PartitionGap(Timestamps.toInstant(ends.get(i)), Timestamps.toInstant(ends.get(i + 1))));
        }
        return gaps;
    }

    static Optional<MoveIn> moveIn(Struct row) {
        return findInstant(row, MetadataColumn.MOVE_IN_TIMESTAMP)
                .map(timestamp -> new MoveIn(timestamp, tokens(row, MetadataColumn.MOVE_IN_SOURCES)));
    }

    static Optional<MoveOuts> moveOuts(Struct row) {
        return findString(row, MetadataColumn.MOVE_OUT_SEQUENCE)
                .map(sequence -> new MoveOuts(sequence, tokens(row, MetadataColumn.MOVE_OUT_DESTINATIONS)));
    }

    /**
     * Returns the tokens of an array, which may be NULL and may contain NULL, as documented for children of the root.
     */
    static List<PartitionToken> tokens(Struct row, MetadataColumn column) {
        if (row.isNull(column.columnName)) {
            return List.of();
        }
        List<@Nullable String> values = row.getStringList(column.columnName);
        return values.stream().filter(Objects::nonNull).map(PartitionToken::new).toList();
    }

    /** Returns the parents of the partition, and the sources of its move-in. */
    static Stream<PartitionToken> predecessors(Struct row) {
        return Stream.of(MetadataColumn.PARENT_TOKENS, MetadataColumn.MOVE_IN_SOURCES)
                .flatMap(column -> tokens(row, column).stream());
    }

    /** Returns the keys of the unfinished partitions in the index by state and change. */
    static KeySet unfinished() {
        KeySet.Builder keys = KeySet.newBuilder();
        EnumSet.complementOf(EnumSet.of(PartitionState.FINISHED))
                .forEach(state -> keys.addRange(KeyRange.prefix(Key.of(state.name()))));
        return keys.build();
    }

    /**
     * Returns the keys of the partitions that changed after the first and not after the second time, in that index; none if
     * the second is earlier, which strong reads do not rule out.
     */
    static KeySet changed(Timestamp since, Timestamp until) {
        Timestamp after = since.compareTo(until) < 0 ? since : until;
        KeySet.Builder keys = KeySet.newBuilder();
        EnumSet.allOf(PartitionState.class)
                .forEach(state ->
                        keys.addRange(KeyRange.openClosed(Key.of(state.name(), after), Key.of(state.name(), until))));
        return keys.build();
    }

    static Instant instant(Struct row, MetadataColumn column) {
        return Timestamps.toInstant(row.getTimestamp(column.columnName));
    }

    static Optional<Instant> findInstant(Struct row, MetadataColumn column) {
        return findInstant(row, column.columnName);
    }

    static Optional<Instant> findInstant(Struct row, String column) {
        return row.isNull(column) ? Optional.empty() : Optional.of(Timestamps.toInstant(row.getTimestamp(column)));
    }

    private static Optional<String> findString(Struct row, MetadataColumn column) {
        return row.isNull(column.columnName) ? Optional.empty() : Optional.of(row.getString(column.columnName));
    }

    /** Returns the times of its last changes, as recorded in Beam's columns. */
    static Stream<Instant> times(Struct row) {
        return Stream.of(
                        MetadataColumn.WATERMARK,
                        MetadataColumn.CREATED_AT,
                        MetadataColumn.SCHEDULED_AT,
                        MetadataColumn.RUNNING_AT,
                        MetadataColumn.FINISHED_AT)
                .map(column -> findInstant(row, column))
                .flatMap(Optional::stream);
    }

    /** Returns a mutation that writes these columns. */
    static Mutation mutation(Mutation.WriteBuilder write, Map<MetadataColumn, Value> row) {
        new EnumMap<>(row)
                .forEach((column, value) -> write.set(column.columnName).to(value));
        return write.build();
    }

    static Value value(Instant instant) {
        return Value.timestamp(Timestamps.toTimestamp(instant));
    }

    static Value values(List<PartitionToken> tokens) {
        return Value.stringArray(tokens.stream().map(PartitionToken::value).toList());
    }

    static Value gapValues(List<PartitionGap> gaps) {
        List<Timestamp> ends = new ArrayList<>();
        for (PartitionGap gap : gaps) {
            ends.add(Timestamps.toTimestamp(gap.from()));
            ends.add(Timestamps.toTimestamp(gap.to()));
        }
        return Value.timestampArray(ends);
    }
}
