package dev.spream.storage.jdbc.projection;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Describes failures of projections by texts that may be logged and stored. An error of the server is described by its
 * SQLSTATE and the names of the objects concerned, because most messages, details and hints of the server contain
 * values of rows.
 */
final class FailureTexts {
    private static final int MAX_CAUSES = 4;

    /** Classes of errors whose messages are about statements, tables and users, and not about rows. */
    private static final Set<String> CLASSES_TOLD = Set.of("0A", "28", "3F", "42");

    /**
     * The state of a syntax error; the driver's own message for it contains the whole statement, which may contain
     * values.
     */
    private static final String SYNTAX_ERROR = "42601";

    /** Packages whose stack frames are not part of a projection. */
    private static final List<String> OTHERS = List.of(
            "java.",
            "javax.",
            "jdk.",
            "sun.",
            "com.sun.",
            "org.postgresql.",
            "com.zaxxer.hikari.",
            "dev.spream.core.",
            "dev.spream.projection.",
            "dev.spream.api.",
            "dev.spream.storage.jdbc.");

    private FailureTexts() {}

    static String of(Exception failure) {
        StringJoiner texts = new StringJoiner("; caused by ");
        @Nullable Throwable next = failure;
        for (int i = 0; next != null && i < MAX_CAUSES; i++) {
            texts.add(one(next));
            next = next.getCause();
        }
        return texts.toString();
    }

    private static String one(Throwable failure) {
        StringJoiner parts = new StringJoiner(", ");
        parts.add(failure.getClass().getName());
        if (failure instanceof SQLException sql && sql.getSQLState() != null) {
            parts.add("SQLSTATE " + sql.getSQLState());
            names(sql).forEach(parts::add);
        }
        String place =
                place(failure.getStackTrace()).map(frame -> " at " + frame).orElse("");
        return parts + place + message(failure).map(" (%s)"::formatted).orElse("");
    }

    private static Stream<String> names(SQLException failure) {
        ServerErrorMessage told = serverMessage(failure);
        if (told == null) {
            return Stream.of();
        }
        String schema = told.getSchema() == null ? "" : told.getSchema() + ".";
        return Stream.of(
                        named("constraint", "", told.getConstraint()),
                        named("table", schema, told.getTable()),
                        named("column", "", told.getColumn()))
                .flatMap(Optional::stream);
    }

    private static Optional<String> named(String what, String schema, @Nullable String name) {
        return Optional.ofNullable(name).map(found -> "%s %s%s".formatted(what, schema, found));
    }

    private static @Nullable ServerErrorMessage serverMessage(Throwable failure) {
        return failure instanceof PSQLException driver ? driver.getServerErrorMessage() : null;
    }

    /**
     * Returns the first line of the message, if it cannot contain values. The message of a batch's failure is its
     * statement with all values; its cause has the server's message.
     */
    private static Optional<String> message(Throwable failure) {
        String state = failure instanceof PSQLException driver ? String.valueOf(driver.getSQLState()) : "";
        if (CLASSES_TOLD.stream().noneMatch(state::startsWith)) {
            return Optional.empty();
        }
        ServerErrorMessage told = serverMessage(failure);
        if (told == null && state.equals(SYNTAX_ERROR)) {
            return Optional.empty();
        }
        return Optional.ofNullable(told == null ? failure.getMessage() : told.getMessage())
                .flatMap(message -> message.lines().findFirst());
    }

    /** Returns the first stack frame of the projection, or else the frame that threw. */
    private static Optional<StackTraceElement> place(StackTraceElement[] frames) {
        return Arrays.stream(frames)
                .filter(frame -> OTHERS.stream().noneMatch(frame.getClassName()::startsWith))
                .findFirst()
                .or(() -> Arrays.stream(frames).findFirst());
    }
}
