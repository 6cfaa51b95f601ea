package dev.spream.storage.jdbc.lock;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import dev.spream.lock.BucketSpace;
import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.inspection.LockObservation;
import dev.spream.lock.inspection.LockObservation.Reported;
import dev.spream.lock.inspection.LockObserver;
import dev.spream.lock.provisioning.BucketLayout;
import dev.spream.storage.jdbc.lock.dialect.LockMonitor;
import dev.spream.storage.jdbc.lock.dialect.LockTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * A {@link LockObserver} for PostgreSQL, MySQL and MariaDB. It needs no store, only read access to the tables of the
 * locks and to the server's view of its sessions. The caller owns the data source; an observation takes one of its
 * connections.
 */
public final class JdbcLockObserver implements LockObserver {
    private final DataSource dataSource;
    private final Optional<String> schema;

    private JdbcLockObserver(DataSource dataSource, Optional<String> schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    /**
     * Returns an observer of the locks in that schema.
     *
     * @param schema empty for the default: the schema {@code spream}, and on MySQL and MariaDB the database of the URL
     */
    public static JdbcLockObserver of(DataSource dataSource, Optional<String> schema) {
        return new JdbcLockObserver(dataSource, schema);
    }

    @Override
    public LockObservation observe() {
        LockTables tables = BucketSpaceTable.tables(dataSource, schema);
        if (!tables.exist()) {
            throw new LockStoreException(
                    "there are no tables of hierarchical locks in %s, so no lock was ever taken there; name the database and the schema of the locks"
                            .formatted(tables.place()),
                    null);
        }
        BucketSpaceTable spaces = new BucketSpaceTable(tables, dataSource);
        BucketLayout layout = spaces.recorded()
                .map(BucketSpaceTable.Recorded::layout)
                .orElseThrow(() -> new BucketSpaceException(
                        "no lock layout is recorded in %s: no lock was taken there yet".formatted(tables.place()),
                        null));
        return spaces.run("observing the locks in " + tables.place(), connection -> look(connection, tables, layout));
    }

    private LockObservation look(Connection connection, LockTables tables, BucketLayout layout) throws SQLException {
        LockReports reports = new LockReports(tables);
        List<Reported> owners = reports.owners(connection);
        Map<String, Set<LockKey>> reported = owners.stream()
                .collect(toMap(
                        owner -> owner.owner().session(),
                        owner -> keys(owner, layout.space()),
                        JdbcLockObserver::union));
        LockMonitor.View view = tables.watch(
                        connection, BucketLayouts.strategy(layout) == LockStrategy.ADVISORY, layout.space())
                .look(connection, reported);
        return new LockObservation(
                view.at(),
                layout.space(),
                view.complete(),
                view.sessions(),
                owners,
                reports.waits(connection),
                view.ending(),
                view.notes());
    }

    private static Set<LockKey> keys(Reported owner, BucketSpace space) {
        return owner.owner().held().keySet().stream()
                .filter(target -> target.level() < space.levels())
                .flatMap(target -> Stream.concat(target.ancestors().stream(), Stream.of(target)))
                .map(space::keyOf)
                .collect(toSet());
    }

    /** Returns the union: two processes report the same session if they use it one after the other. */
    private static Set<LockKey> union(Set<LockKey> some, Set<LockKey> others) {
        Set<LockKey> all = new HashSet<>(some);
        all.addAll(others);
        return all;
    }
}
