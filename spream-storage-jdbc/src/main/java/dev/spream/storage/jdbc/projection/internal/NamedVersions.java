package dev.spream.storage.jdbc.projection.internal;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Resolves the names that operators use: the name of a projection alone denotes its live version, and with a number one
 * of its versions. A version is identified by the name of its state.
 */
public record NamedVersions(ProjectionDatabase database) {
    private static final String STATE = """
            SELECT v.state FROM @projection_versions v
            WHERE v.projection = ? AND CASE WHEN ?::int IS NULL THEN v.role = 'LIVE' ELSE v.version = ?::int END""";

    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,8}");

    /** A number that no version has. */
    private static final String NONE = "0";

    /** Returns the current state of the version; empty if there is none. */
    public Optional<String> find(String name) {
        return database.find(
                "finding projection '%s'".formatted(name), STATE, named(name), row -> row.getString("state"));
    }

    private static Optional<String> find(StatementBatch trip, String name) throws SQLException {
        List<String> found = trip.rows(STATE, named(name), row -> row.getString("state"));
        trip.run();
        return found.stream().findFirst();
    }

    private static Database.Binder named(String name) {
        String projection = projection(name);
        Optional<String> version = Optional.of(name.substring(projection.length()))
                .filter(rest -> !rest.isEmpty())
                .map(rest -> rest.substring(1))
                .map(number -> NUMBER.matcher(number).matches() ? number : NONE);
        return p -> p.text(projection).optionalText(version).optionalText(version);
    }

    /** Returns the projection that a version belongs to, or that is named. */
    static String projection(String name) {
        int at = name.indexOf('@');
        return at < 0 ? name : name.substring(0, at);
    }

    /**
     * Begins a transaction with a shared lock of a version, whose role cannot change until it ends.
     *
     * @param what names the call in the message of a failure
     * @return empty if there is none; the transaction has begun in either case
     * @throws StorageException if another session holds the lock exclusively for too long; nothing was changed
     */
    public Optional<String> share(ProjectionTransaction transaction, String what, String name) throws SQLException {
        return hold(transaction, what, name, ExclusiveVersionLock::share);
    }

    /**
     * Begins a transaction with the exclusive lock, after all transactions that write effects have ended; it blocks
     * further ones.
     */
    public Optional<String> takeAlone(ProjectionTransaction transaction, String what, String name) throws SQLException {
        return hold(transaction, what, name, ExclusiveVersionLock::take);
    }

    /** Takes the exclusive lock of a version whose role cannot change, by the name of its state. */
    public void takeStateAlone(ProjectionTransaction transaction, String what, String state) throws SQLException {
        take(transaction, what, state, ExclusiveVersionLock::take);
    }

    private interface Lock {
        void take(ProjectionTransaction transaction, String state) throws SQLException, ExclusiveVersionLock.NotHad;
    }

    /** Resolves the name again after the wait for the lock, since it may denote another version by then. */
    private Optional<String> hold(ProjectionTransaction transaction, String what, String name, Lock lock)
            throws SQLException {
        Optional<String> meant = find(transaction.first(), name);
        while (meant.isPresent()) {
            take(transaction, what, meant.get(), lock);
            Optional<String> held = find(transaction.next(), name);
            if (held.equals(meant)) {
                return held;
            }
            transaction.rollback();
            meant = find(transaction.first(), name);
        }
        return meant;
    }

    private void take(ProjectionTransaction transaction, String what, String state, Lock lock) throws SQLException {
        try {
            lock.take(transaction, state);
        } catch (ExclusiveVersionLock.NotHad e) {
            throw new StorageException(
                    "%s failed: %s; nothing was changed; try again, or end that session"
                            .formatted(what, ExclusiveVersionLock.holders(database, state)),
                    SqlErrors.isRetryable(e.failure()),
                    e);
        }
    }
}
