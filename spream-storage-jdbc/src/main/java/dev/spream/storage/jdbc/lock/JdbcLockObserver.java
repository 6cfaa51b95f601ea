package dev.spream.storage.jdbc.lock;

import static java.util.stream.Collectors.toSet;

import dev.spream.core.lock.LockLayout;
import dev.spream.core.lock.LockObservation;
import dev.spream.core.lock.LockObservation.Reported;
import dev.spream.core.lock.LockObserver;
import dev.spream.core.lock.LockSpaceException;
import dev.spream.core.lock.LockStoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * A {@link LockObserver} of PostgreSQL, MySQL and MariaDB. It needs no store, and no more than to read the tables of the
 * locks and what the server shows of its sessions. The data source stays the caller's; a look takes one connection of it.
 */
public final class JdbcLockObserver implements LockObserver {
    private final DataSource dataSource;
    private final Optional<String> schema;

    private JdbcLockObserver(DataSource dataSource, Optional<String> schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    /**
     * An observer of the locks in that place.
     *
     * @param schema empty for the default: the schema {@code spream}, and on MySQL and MariaDB the database of the URL
     */
    public static JdbcLockObserver of(DataSource dataSource, Optional<String> schema) {
        return new JdbcLockObserver(dataSource, schema);
    }

    @Override
    public LockObservation observe() {
        LockTables tables = LockTables.in(dataSource, schema);
        if (!tables.exist()) {
            throw new LockStoreException(
                    "there are no tables of hierarchical locks in %s: nothing has locked there. Name the place where the locks are"
                            .formatted(tables.place()),
                    null);
        }
        LockSpaceTable spaces = new LockSpaceTable(tables, dataSource);
        LockLayout layout = spaces.recorded()
                .map(RecordedSpace::layout)
                .orElseThrow(() -> new LockSpaceException(
                        "it is not recorded in %s which locks there are: nothing has locked there yet"
                                .formatted(tables.place()),
                        null));
        return spaces.run("looking at the locks in " + tables.place(), connection -> look(connection, tables, layout));
    }

    private LockObservation look(Connection connection, LockTables tables, LockLayout layout) throws SQLException {
        LockReports reports = tables.reports();
        List<Reported> owners = reports.owners(connection);
        Set<String> reported =
                owners.stream().map(owner -> owner.owner().session()).collect(toSet());
        LockWatch.View view = tables.watch(connection, layout).look(connection, reported);
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
}
