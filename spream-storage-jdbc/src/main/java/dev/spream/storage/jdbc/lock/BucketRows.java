package dev.spream.storage.jdbc.lock;

import dev.spream.lock.provisioning.BucketSpaceCheck.Range;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Creates, counts and finds the rows of the buckets. */
record BucketRows(LockTables tables) {
    private static final String COUNT =
            "SELECT COUNT(*) FROM @hier_lock_buckets WHERE level = ? AND bucket BETWEEN ? AND ?";
    private static final String LIST =
            "SELECT bucket FROM @hier_lock_buckets WHERE level = ? AND bucket BETWEEN ? AND ? ORDER BY bucket";

    /** Creates the missing rows of a range; returns their number. */
    int make(Connection connection, int level, Range range) throws SQLException {
        int size = Math.toIntExact(range.size());
        return new Statements(connection, tables::in)
                .update(
                        tables.makeBuckets(size),
                        p -> p.number(level).number(range.first()).number(size));
    }

    List<Range> missing(Connection connection, int level, Range range) throws SQLException {
        long there = count(connection, level, range);
        if (there == range.size()) {
            return List.of();
        }
        return there == 0 ? List.of(range) : gaps(connection, level, range);
    }

    private long count(Connection connection, int level, Range range) throws SQLException {
        return new Statements(connection, tables::in).row(COUNT, p -> bind(p, level, range), row -> row.getLong(1));
    }

    private List<Range> gaps(Connection connection, int level, Range range) throws SQLException {
        List<Range> gaps = new ArrayList<>();
        long next = range.first();
        for (long bucket :
                new Statements(connection, tables::in).rows(LIST, p -> bind(p, level, range), row -> row.getLong(1))) {
            if (bucket > next) {
                gaps.add(new Range(next, bucket - 1));
            }
            next = bucket + 1;
        }
        if (next <= range.last()) {
            gaps.add(new Range(next, range.last()));
        }
        return gaps;
    }

    private static void bind(Parameters parameters, int level, Range range) throws SQLException {
        parameters.number(level).number(range.first()).number(range.last());
    }
}
