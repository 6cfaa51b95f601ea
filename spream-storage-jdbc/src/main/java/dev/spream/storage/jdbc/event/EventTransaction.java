package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Appends in a transaction that somebody else begins and ends. Confined to a call.
 *
 * @param connection its owner commits
 */
record EventTransaction(Connection connection, EventTable table) {
    /** How often others may get ahead of somebody who expects no version; nobody who waits in line does so twice. */
    private static final int ROUNDS = 20;

    private static final String WAIT_IN_LINE = "SELECT true FROM pg_advisory_xact_lock(?::int, hashtext(?))";

    /**
     * The transaction that the connection is in, or begins with the next statement.
     *
     * @throws StorageException if the connection commits each statement by itself
     */
    static EventTransaction of(Connection connection, EventTable table, AppendRequest request) throws SQLException {
        if (connection.getAutoCommit()) {
            throw new StorageException(
                    ("appending %s failed: the connection is in auto-commit mode, where they would not belong to the change"
                                    + " that they tell of; call setAutoCommit(false) first")
                            .formatted(request),
                    false,
                    null);
        }
        return new EventTransaction(connection, table);
    }

    /** The events as they are in the store, those that were appended before as well. */
    List<RecordedEvent> append(AppendRequest request) throws SQLException {
        for (int round = 0; round < ROUNDS; round++) {
            List<StoredEvent> appended =
                    rows(Appending.sql(request), p -> Appending.bind(p, request), StoredEvent::read);
            if (!appended.isEmpty()) {
                return Appending.inOrder(appended);
            }
            Optional<List<RecordedEvent>> present = look(request);
            if (present.isPresent()) {
                return present.get();
            }
            rows(WAIT_IN_LINE, p -> p.number(EventLocks.AGGREGATE).text(request.aggregateId()), row -> true);
        }
        throw new StorageException(
                "appending %s failed: others appended to it all the time; the same may succeed later"
                        .formatted(request),
                true,
                null);
    }

    private Optional<List<RecordedEvent>> look(AppendRequest request) throws SQLException {
        List<Long> version = new ArrayList<>();
        List<RecordedEvent> present = new ArrayList<>();
        rows(Appending.LOOK, p -> p.text(request.aggregateId()).texts(request.eventIds()), row -> {
            version.add(row.getLong("last_version"));
            if (row.getObject("position") != null) {
                present.add(StoredEvent.read(row).recorded());
            }
            return true;
        });
        return Appending.explain(request, version.getFirst(), present);
    }

    private <T> List<T> rows(String sql, Database.Binder binder, Database.RowReader<T> reader) throws SQLException {
        return new Statements(connection, table::in).rows(sql, binder, reader);
    }
}
