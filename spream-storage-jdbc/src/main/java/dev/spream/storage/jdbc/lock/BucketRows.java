package dev.spream.storage.jdbc.lock;

import dev.spream.lock.provisioning.LockSpaceCheck.Range;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The rows that are buckets: made, counted, and looked for. */
record BucketRows(LockTables tables) {
    private static final String COUNT =
            "SELECT COUNT(*) FROM @hier_lock_buckets WHERE level = ? AND bucket BETWEEN ? AND ?";
    private static final String LIST =
            "SELECT bucket FROM @hier_lock_buckets WHERE level = ? AND bucket BETWEEN ? AND ? ORDER BY bucket";

    /**
     * Makes those of a range that are not there.
     *
     * @return how many
     */
    int make(Connection connection, int level, Range range) throws SQLException {
        int size = Math.toIntExact(range.size());
        try (PreparedStatement insert = connection.prepareStatement(tables.in(tables.makeBuckets(size)))) {
            insert.setInt(1, level);
            insert.setLong(2, range.first());
            insert.setInt(3, size);
            return insert.executeUpdate();
        }
    }

    /** Those of a range that are not there, in order. */
    List<Range> missing(Connection connection, int level, Range range) throws SQLException {
        long there = count(connection, level, range);
        if (there == range.size()) {
            return List.of();
        }
        return there == 0 ? List.of(range) : gaps(connection, level, range);
    }

    private long count(Connection connection, int level, Range range) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(tables.in(COUNT))) {
            bind(count, level, range);
            try (ResultSet row = count.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private List<Range> gaps(Connection connection, int level, Range range) throws SQLException {
        List<Range> gaps = new ArrayList<>();
        try (PreparedStatement list = connection.prepareStatement(tables.in(LIST))) {
            bind(list, level, range);
            try (ResultSet rows = list.executeQuery()) {
                long next = range.first();
                while (rows.next()) {
                    long bucket = rows.getLong(1);
                    if (bucket > next) {
                        gaps.add(new Range(next, bucket - 1));
                    }
                    next = bucket + 1;
                }
                if (next <= range.last()) {
                    gaps.add(new Range(next, range.last()));
                }
            }
        }
        return gaps;
    }

    private static void bind(PreparedStatement statement, int level, Range range) throws SQLException {
        statement.setInt(1, level);
        statement.setLong(2, range.first());
        statement.setLong(3, range.last());
    }
}
