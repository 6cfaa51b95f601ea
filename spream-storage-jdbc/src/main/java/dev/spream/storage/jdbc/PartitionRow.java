package dev.spream.storage.jdbc;

import dev.spream.core.StorageException;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.MoveOuts;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionState;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WorkerId;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads rows of the table of partitions. */
final class PartitionRow {
    private PartitionRow() {}

    /** Returns an expression for the key of a token: tokens have any length, but entries of an index are limited. */
    static String hashOf(String token) {
        return "sha256(convert_to(%s, 'UTF8'))".formatted(token);
    }

    static PartitionMetadata metadata(ResultSet row, Instant readAt) throws SQLException {
        try {
            return readMetadata(row, readAt);
        } catch (IllegalArgumentException e) {
            throw damaged(row, e);
        }
    }

    static FinishedPartition proof(ResultSet row) throws SQLException {
        try {
            return readProof(row);
        } catch (IllegalArgumentException | NoSuchElementException e) {
            throw damaged(row, e);
        }
    }

    private static StorageException damaged(ResultSet row, RuntimeException cause) throws SQLException {
        return new StorageException(
                "the stored row of partition %s is invalid: %s; nothing was changed. Restore the row from a backup"
                        .formatted(row.getString("token"), cause.getMessage()),
                false,
                cause);
    }

    private static PartitionMetadata readMetadata(ResultSet row, Instant readAt) throws SQLException {
        Optional<WorkerId> owner = Optional.ofNullable(row.getString("owner")).map(WorkerId::new);
        Optional<Instant> leaseUntil = JdbcTimestamps.optionalClock(row, "lease_until");
        return new PartitionMetadata(
                token(row),
                tokens(row, "parent_tokens"),
                instant(row, "start_timestamp"),
                PartitionState.valueOf(row.getString("state")),
                instant(row, "watermark"),
                row.getLong("epoch"),
                owner,
                leaseUntil,
                owner.isPresent() && leaseUntil.isPresent() && leaseUntil.get().isAfter(readAt),
                endProof(row),
                JdbcTimestamps.clock(row, "created_at"),
                JdbcTimestamps.optionalClock(row, "scheduled_at"),
                JdbcTimestamps.optionalClock(row, "running_at"),
                JdbcTimestamps.optionalClock(row, "finished_at"),
                gaps(row),
                moveIn(row),
                moveOuts(row));
    }

    private static FinishedPartition readProof(ResultSet row) throws SQLException {
        return new FinishedPartition(
                token(row),
                tokens(row, "parent_tokens"),
                instant(row, "start_timestamp"),
                endProof(row).orElseThrow(),
                JdbcTimestamps.clock(row, "finished_at"),
                gaps(row));
    }

    static PartitionToken token(ResultSet row) throws SQLException {
        return new PartitionToken(row.getString("token"));
    }

    static Instant instant(ResultSet row, String column) throws SQLException {
        return JdbcTimestamps.instant(row.getBigDecimal(column));
    }

    private static Optional<PartitionEnd> endProof(ResultSet row) throws SQLException {
        @Nullable String kind = row.getString("end_kind");
        return kind == null
                ? Optional.empty()
                : Optional.of(new PartitionEnd(
                        PartitionEnd.Kind.valueOf(kind), instant(row, "end_timestamp"), tokens(row, "end_children")));
    }

    private static List<PartitionGap> gaps(ResultSet row) throws SQLException {
        BigDecimal[] starts = (BigDecimal[]) row.getArray("gap_starts").getArray();
        BigDecimal[] ends = (BigDecimal[]) row.getArray("gap_ends").getArray();
        List<PartitionGap> gaps = new ArrayList<>(starts.length);
        for (int i = 0; i < starts.length; i++) {
            gaps.add(new PartitionGap(JdbcTimestamps.instant(starts[i]), JdbcTimestamps.instant(ends[i])));
        }
        return gaps;
    }

    private static Optional<MoveIn> moveIn(ResultSet row) throws SQLException {
        @Nullable BigDecimal timestamp = row.getBigDecimal("move_in_timestamp");
        return timestamp == null
                ? Optional.empty()
                : Optional.of(new MoveIn(JdbcTimestamps.instant(timestamp), tokens(row, "move_in_sources")));
    }

    static Optional<MoveOuts> moveOuts(ResultSet row) throws SQLException {
        @Nullable String sequence = row.getString("move_out_sequence");
        return sequence == null
                ? Optional.empty()
                : Optional.of(new MoveOuts(sequence, tokens(row, "move_out_destinations")));
    }

    private static List<PartitionToken> tokens(ResultSet row, String column) throws SQLException {
        return Arrays.stream((String[]) row.getArray(column).getArray())
                .map(PartitionToken::new)
                .toList();
    }
}
