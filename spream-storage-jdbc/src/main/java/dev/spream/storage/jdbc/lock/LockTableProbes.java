package dev.spream.storage.jdbc.lock;

import dev.spream.lock.LockStoreException;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Probes the statements of a store without touching a row, to check that the tables exist and that this user has the
 * privileges.
 */
record LockTableProbes(LockTables tables, BucketSpaceTable space) {
    private static final List<String> OF_ALL = List.of(
            "UPDATE @hier_lock_epoch SET epoch = epoch WHERE id = 0",
            "INSERT INTO @hier_lock_owner SELECT * FROM @hier_lock_owner WHERE 1 = 0",
            "DELETE FROM @hier_lock_owner WHERE 1 = 0",
            "INSERT INTO @hier_lock_wait SELECT * FROM @hier_lock_wait WHERE 1 = 0",
            "UPDATE @hier_lock_wait SET waits = waits WHERE 1 = 0",
            "DELETE FROM @hier_lock_wait WHERE 1 = 0");
    private static final String OF_ROWS = "SELECT bucket FROM @hier_lock_buckets WHERE level = -1 FOR UPDATE";
    private static final String EPOCH = "SELECT 1 FROM @hier_lock_epoch WHERE id = 1";

    List<String> problems(LockStrategy strategy) {
        List<String> problems = new ArrayList<>();
        List<String> probes = new ArrayList<>(OF_ALL);
        if (strategy == LockStrategy.ROWS) {
            probes.add(OF_ROWS);
        }
        probes.forEach(probe -> refusal(probe).ifPresent(problems::add));
        if (problems.isEmpty() && !finds(EPOCH)) {
            problems.add(
                    "the table hier_lock_epoch of %s has no row, so handles cannot get an epoch; insert one with id 1 and a number above any that was assigned"
                            .formatted(tables.place()));
        }
        return problems;
    }

    private Optional<String> refusal(String probe) {
        try {
            finds(probe);
            return Optional.empty();
        } catch (LockStoreException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private boolean finds(String sql) {
        return space.run("probing a statement that locking needs, %s,".formatted(tables.in(sql)), connection -> {
            try (Statement statement = connection.createStatement()) {
                if (!statement.execute(tables.in(sql))) {
                    return false;
                }
                try (ResultSet row = statement.getResultSet()) {
                    return row.next();
                }
            }
        });
    }
}
