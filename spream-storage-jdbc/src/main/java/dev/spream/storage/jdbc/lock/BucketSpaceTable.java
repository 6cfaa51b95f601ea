package dev.spream.storage.jdbc.lock;

import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.BucketsNotProvisionedException;
import dev.spream.lock.LockException;
import dev.spream.lock.provisioning.BucketLayout;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.internal.Transactions;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import dev.spream.storage.jdbc.lock.mysql.MySqlLockTables;
import dev.spream.storage.jdbc.lock.postgres.PostgresLockTables;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The bucket layout shared by all lock stores of a schema. The first store records it, and all others must request the
 * same: stores with another number of buckets, another hash or another strategy would not exclude each other.
 *
 * <p>Safe for use by many threads.
 */
record BucketSpaceTable(LockTables tables, DataSource dataSource) {
    private static final Duration TIME_LIMIT = Duration.ofSeconds(30);
    private static final String READ =
            "SELECT strategy, hash, buckets, levels, provisioned FROM @hier_lock_space WHERE id = 1";

    /**
     * The record in the database.
     *
     * @param provisioned the number of buckets that were created, starting with the first
     */
    record Recorded(BucketLayout layout, long provisioned) {
        /** Returns whether every bucket was created. Rows may have been deleted since; only counting shows that. */
        boolean isComplete() {
            return provisioned >= BucketLayouts.rows(layout);
        }
    }

    /**
     * Returns the tables in the schema of that name. On MySQL and MariaDB, where a schema is a database, the default is
     * the database of the connections. The tables need not exist.
     *
     * @throws LockException if the database cannot be reached, or is not supported
     */
    static LockTables tables(DataSource dataSource, Optional<String> schema) {
        try (Connection connection = dataSource.getConnection()) {
            if (connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
                return PostgresLockTables.in(dataSource, schema);
            }
            return MySqlLockTables.in(dataSource, connection, schema);
        } catch (SQLException e) {
            throw LockTables.failure("connecting to the database of the locks", e);
        }
    }

    /**
     * Returns the layout for a store: the requested one, which must equal the recorded one. If none is recorded, it is
     * recorded now, unless it needs rows.
     *
     * @throws BucketSpaceException if another layout is recorded
     * @throws BucketsNotProvisionedException if rows are needed, and not all were created
     */
    BucketLayout settle(AskedLayout asked) {
        requireRecordOfBuckets();
        Optional<Recorded> recorded = recorded();
        BucketLayout layout = layout(asked, recorded.map(Recorded::layout));
        if (recorded.isEmpty() && BucketLayouts.strategy(layout) != LockStrategy.ROWS) {
            recorded = Optional.of(record(layout));
        }
        Recorded space = recorded.orElseThrow(() -> new BucketsNotProvisionedException(
                "%s has no buckets. Create them once, before the first lock: %s"
                        .formatted(tables.place(), BucketLayouts.command(layout, tables.schema())),
                null));
        requireSame(layout, space);
        if (!space.isComplete()) {
            throw new BucketsNotProvisionedException(
                    "%s has %d of %d buckets. Provisioning was not completed; continue it before the first lock: %s"
                            .formatted(
                                    tables.place(),
                                    space.provisioned(),
                                    BucketLayouts.rows(layout),
                                    BucketLayouts.command(layout, tables.schema())),
                    null);
        }
        return layout;
    }

    /**
     * Rejects buckets whose layout is not recorded: stores that lock them would not exclude stores that record another
     * layout now.
     */
    void requireRecordOfBuckets() {
        lostRecord().ifPresent(lost -> {
            throw new BucketSpaceException(lost, null);
        });
    }

    /**
     * Returns the problem if there are buckets whose layout is not recorded. Looks for buckets first, since they are
     * created after the record.
     */
    Optional<String> lostRecord() {
        boolean lost = run(
                "looking for lock buckets in " + tables.place(),
                connection -> statements(connection)
                                .find("SELECT 1 FROM @hier_lock_buckets LIMIT 1", p -> {}, row -> true)
                                .isPresent()
                        && read(connection, READ).isEmpty());
        return lost
                ? Optional.of(
                        "%s has rows in hier_lock_buckets, but hier_lock_space has no record of their layout: a process that records another layout now would not exclude those that lock these rows. Record the former layout: ./spream locks provision --strategy rows --buckets <as before> --levels <as before> --hash <as before> --schema %s. Or stop every process that locks there, and run that command with the new layout and --recreate"
                                .formatted(tables.place(), tables.schema()))
                : Optional.empty();
    }

    private Statements statements(Connection connection) {
        return new Statements(connection, tables::in);
    }

    BucketLayout layout(AskedLayout asked, Optional<BucketLayout> recorded) {
        return asked.over(recorded, LockStrategy.byDefault(tables));
    }

    Optional<Recorded> recorded() {
        return run("reading the lock layout recorded in " + tables.place(), connection -> read(connection, READ));
    }

    /**
     * Records a layout if none is recorded, and rejects a different one. If several processes do so at the same time,
     * one layout is recorded.
     */
    Recorded record(BucketLayout layout) {
        Recorded space = run("recording the lock layout in " + tables.place(), connection -> {
                    statements(connection)
                            .update(
                                    tables.recordSpace(),
                                    p -> p.text(layout.strategy())
                                            .number(layout.space().hash().version())
                                            .number(layout.space().buckets())
                                            .number(layout.space().levels()));
                    return read(connection, READ);
                })
                .orElseThrow(() -> new BucketSpaceException(
                        "the lock layout recorded in %s was removed while this process started; restart the process"
                                .formatted(tables.place()),
                        null));
        requireSame(layout, space);
        return space;
    }

    void requireSame(BucketLayout asked, Recorded recorded) {
        if (!asked.equals(recorded.layout())) {
            throw new BucketSpaceException(
                    "the locks in %s are %s, but this process requests %s. The two would not exclude each other, so no lock is taken. Request the recorded layout, or change it: stop every process that locks there, and then run %s --recreate"
                            .formatted(
                                    tables.place(),
                                    recorded.layout(),
                                    asked,
                                    BucketLayouts.command(asked, tables.schema())),
                    null);
        }
    }

    /** Returns the record, locked until the transaction ends, so that only one process at a time continues. */
    Optional<Recorded> lock(Connection connection) throws SQLException {
        return read(connection, READ + " FOR UPDATE");
    }

    private Optional<Recorded> read(Connection connection, String sql) throws SQLException {
        return statements(connection).find(sql, p -> {}, this::recorded);
    }

    private Recorded recorded(ResultSet row) throws SQLException {
        BucketSpace space = new BucketSpace(hash(row.getInt("hash")), row.getLong("buckets"), row.getInt("levels"));
        return new Recorded(new BucketLayout(row.getString("strategy"), space), row.getLong("provisioned"));
    }

    private BucketHash hash(int version) {
        return Arrays.stream(BucketHash.values())
                .filter(hash -> hash.version() == version)
                .findFirst()
                .orElseThrow(() -> new BucketSpaceException(
                        "the locks in %s use version %d of the hash, which this version of spream does not support; use the version that recorded it, or a newer one"
                                .formatted(tables.place(), version),
                        null));
    }

    /** Runs work in a transaction at READ COMMITTED. */
    <T> T run(String what, Transactions.Work<T, LockException> work) {
        try {
            return new Transactions(dataSource, TIME_LIMIT).run(connection -> {
                Statements.execute(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
                return work.run(connection);
            });
        } catch (SQLException e) {
            throw LockTables.failure(what, e);
        }
    }
}
