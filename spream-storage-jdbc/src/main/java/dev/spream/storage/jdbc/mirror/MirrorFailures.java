package dev.spream.storage.jdbc.mirror;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.SpreamException;
import dev.spream.core.StorageException;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Maps the server's errors to failures of changes. The server's messages may contain values, and a trigger may raise
 * any text, so messages that may be about data are omitted.
 *
 * @see <a href="https://www.postgresql.org/docs/current/errcodes-appendix.html">PostgreSQL: error codes</a>
 */
final class MirrorFailures {
    /**
     * The classes of errors about the server: connection, transaction, authorization, rollback, resources, locks,
     * operators, system. Every other class may be about data.
     */
    private static final Set<String> ABOUT_THE_SERVER =
            Set.of("08", "25", "28", "3D", "40", "53", "55", "57", "58", "72", "XX");

    /** The errors of limits, which a change may exceed by itself: memory, a resource, a lock's time, a statement's time. */
    private static final Set<String> LIMITS = Set.of("53200", "53400", "55P03", "57014");

    private static final String FOREIGN_KEYS =
            ". Foreign keys hold only in commit order, transaction-mode=commit-order, and if all rows that are referred to are mirrored";

    private static final String UNIQUE =
            ". Constraints over several rows hold only in commit order, transaction-mode=commit-order";

    private MirrorFailures() {}

    static boolean isAboutStructure(SQLException error) {
        String state = error.getSQLState();
        return state != null && (state.startsWith("42") || state.equals("0A000"));
    }

    static boolean isAboutValue(SQLException error) {
        String state = error.getSQLState();
        return state != null && state.startsWith("22");
    }

    static boolean isAboutLimits(SQLException error) {
        return LIMITS.contains(String.valueOf(error.getSQLState()));
    }

    static boolean isAboutData(SQLException error) {
        String state = error.getSQLState();
        return state != null && state.length() == 5 && !ABOUT_THE_SERVER.contains(state.substring(0, 2));
    }

    /** @param column the column that caused the error, if the error does not name it */
    static NonRetryableException rejected(DataChangeRecord change, SQLException error, Optional<String> column) {
        return new NonRetryableException("the change %s of table %s was rejected by PostgreSQL%s%s; nothing was changed"
                .formatted(
                        change.identity(),
                        TableName.quoted(change.tableName()),
                        column.map(name -> ", for column " + TableName.quoted(name))
                                .orElse(""),
                        description(error)));
    }

    /** Returns the exception for several changes, one of which is the cause; the caller tries them one by one. */
    static SpreamException oneOf(List<DataChangeRecord> changes, SQLException error) {
        return new SpreamException("one of %d changes was rejected by PostgreSQL%s; nothing was changed"
                .formatted(changes.size(), description(error)));
    }

    /**
     * Returns the exception for a transaction, which is not tried change by change.
     *
     * @param column the column that caused the error, if the error does not name it
     */
    static NonRetryableException ofTransaction(
            List<DataChangeRecord> changes, SQLException error, Optional<String> column) {
        DataChangeRecord first = changes.getFirst();
        return new NonRetryableException(
                "the transaction %s of %s with %d changes was rejected by PostgreSQL%s%s; nothing was changed%s"
                        .formatted(
                                first.serverTransactionId(),
                                first.commitTimestamp(),
                                changes.size(),
                                column.map(name -> ", for column " + TableName.quoted(name))
                                        .orElse(""),
                                description(error),
                                hint(error)));
    }

    private static String hint(SQLException error) {
        return switch (error.getSQLState()) {
            case "23503" -> FOREIGN_KEYS;
            case "23505", "23P01" -> UNIQUE;
            case null, default -> "";
        };
    }

    /** Returns the exception for failures that no change has caused. */
    static StorageException later(List<DataChangeRecord> changes, SQLException error) {
        return SqlErrors.storageException(mirroring(changes), error);
    }

    /** Returns the exception for a limit; the error policy limits its retries. */
    static SpreamException ofLimit(List<DataChangeRecord> changes, SQLException error) {
        return new SpreamException("%s failed: %s%s; nothing was changed"
                .formatted(mirroring(changes), SqlErrors.firstLine(error), description(error)));
    }

    private static String mirroring(List<DataChangeRecord> changes) {
        return "mirroring %d changes".formatted(changes.size());
    }

    private static String description(SQLException error) {
        StringBuilder text = new StringBuilder();
        if (error instanceof PSQLException fromServer) {
            ServerErrorMessage message = fromServer.getServerErrorMessage();
            if (message != null) {
                append(text, "table", message.getTable());
                append(text, "column", message.getColumn());
                append(text, "constraint", message.getConstraint());
            }
        }
        return text.append(" (SQLSTATE ")
                .append(error.getSQLState())
                .append(')')
                .toString();
    }

    private static void append(StringBuilder text, String what, @Nullable String name) {
        if (name != null) {
            text.append(", ").append(what).append(' ').append(TableName.quoted(name));
        }
    }
}
