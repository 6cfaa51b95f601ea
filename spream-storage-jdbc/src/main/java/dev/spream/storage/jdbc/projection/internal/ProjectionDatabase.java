package dev.spream.storage.jdbc.projection.internal;

import dev.spream.core.StorageException;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.SessionPlans;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** The database of projections. Safe for use by many threads. */
public final class ProjectionDatabase extends Database {
    private final SchemaName schema;
    private final SessionPlans plans = new SessionPlans();

    public ProjectionDatabase(DataSource dataSource, SchemaName schema, Duration statementTimeout) {
        super(dataSource, schema, statementTimeout);
        this.schema = schema;
    }

    /** Returns the same database over other connections. */
    public ProjectionDatabase over(DataSource other) {
        return new ProjectionDatabase(other, schema, timeLimit());
    }

    /** Returns the same database with a longer time limit. */
    public ProjectionDatabase withTimeout(Duration longer) {
        return new ProjectionDatabase(dataSource(), schema, timeLimit().plus(longer));
    }

    public SchemaName schema() {
        return schema;
    }

    /**
     * Runs the work and commits, at READ COMMITTED. Exceptions of the work are rethrown, except for errors of the
     * server, which are mapped.
     *
     * @param what names the call in the message of a failure
     */
    public <T, E extends Exception> T inTransaction(String what, Work<T, E> work) throws E {
        try {
            return run(what, transactions().begin(), work);
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }

    /**
     * Runs work that passes its connection to the code of a projection, and commits.
     *
     * @throws Exception the exception of that code, see {@link ProjectionTransactionGuard.Failure}
     */
    public <T> T inHandedTransaction(String what, Work<T, ProjectionTransactionGuard.Failure> work) throws Exception {
        try {
            return run(what, transactions().begin() + ProjectionTransactionGuard.BEGIN, work);
        } catch (ProjectionTransactionGuard.Failure e) {
            throw e.thrown();
        } catch (SQLException e) {
            throw SqlErrors.storageException(what, e);
        }
    }

    /**
     * Runs work that must not be repeated blindly, and commits: if the answer to the commit is lost, the message says
     * that it may have taken effect.
     *
     * @param look the place to look for whether it took effect
     */
    public <T, E extends Exception> T inTransaction(String what, String look, Work<T, E> work) throws E {
        AtomicBoolean worked = new AtomicBoolean();
        try {
            return this.<T, E>run(what, transactions().begin(), transaction -> {
                T result = work.run(transaction);
                worked.set(true);
                return result;
            });
        } catch (SQLException e) {
            throw worked.get() ? SqlErrors.ofCommit(what, e, look) : SqlErrors.storageException(what, e);
        }
    }

    private <T, E extends Exception> T run(String what, String begin, Work<T, E> work) throws SQLException, E {
        if (isClosed()) {
            throw SqlErrors.permanent(what + " failed: the store is closed; open another");
        }
        return transactions().run(connection -> work.run(new ProjectionTransaction(connection, schema, plans, begin)));
    }

    /** Work in one transaction. */
    public interface Work<T, E extends Exception> {
        T run(ProjectionTransaction transaction) throws SQLException, E;
    }

    /** Returns the exception if there is no projection of that name. */
    public static StorageException unknown(String what, String projection) {
        return SqlErrors.permanent(
                "%s failed: there is no projection '%s'; register it first".formatted(what, projection));
    }
}
