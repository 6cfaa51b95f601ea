package dev.spream.storage.jdbc.event;

import dev.spream.core.record.Json;
import dev.spream.projection.event.NewEvent;
import dev.spream.storage.jdbc.internal.SqlErrors;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Maps the server's errors about events that it rejects to exceptions.
 *
 * @see <a href="https://www.postgresql.org/docs/current/datatype-json.html">PostgreSQL: JSON types</a>
 */
final class AppendErrors {
    private static final String DATA_EXCEPTION = "22";
    private static final String STACK_DEPTH = "54001";
    private static final String PROGRAM_LIMIT = "54000";
    private static final String UNTRANSLATABLE = "22P05";
    private static final String UNIQUE = "23505";

    private AppendErrors() {}

    /** Returns the exception to throw. Its cause omits the server's error, which would put the data into logs. */
    static RuntimeException failure(AppendRequest request, EventTable events, SQLException error) {
        String state = String.valueOf(error.getSQLState());
        ServerErrorMessage told = error instanceof PSQLException driver ? driver.getServerErrorMessage() : null;
        if (told != null && told.getConstraint() != null && !isOf(events, told)) {
            return SqlErrors.withoutData(
                    "appending %s, for the constraint '%s' of the table '%s', which an inline projection or the caller has written,"
                            .formatted(request, told.getConstraint(), told.getTable()),
                    error);
        }
        if (state.equals(UNIQUE)) {
            return refusal(request, "another transaction has just used the id of one of them", state);
        }
        if (state.startsWith(DATA_EXCEPTION) || state.equals(STACK_DEPTH) || state.equals(PROGRAM_LIMIT)) {
            return refusal(request, aboutData(request, state), state);
        }
        return SqlErrors.withoutData("appending " + request, error);
    }

    private static boolean isOf(EventTable events, ServerErrorMessage told) {
        return events.name().equals(told.getTable())
                && events.schema().toString().equals(told.getSchema());
    }

    private static IllegalArgumentException refusal(AppendRequest request, String reason, String state) {
        return new IllegalArgumentException(
                "appending %s failed: %s (SQLSTATE %s); nothing was appended".formatted(request, reason, state));
    }

    private static String aboutData(AppendRequest request, String state) {
        return switch (state) {
            case UNTRANSLATABLE ->
                "the data of an event have characters that PostgreSQL cannot hold in JSON, such as \\u0000";
            case STACK_DEPTH, PROGRAM_LIMIT ->
                "the data of an event are nested too deeply or too large for PostgreSQL's JSON";
            default ->
                request.events().stream()
                        .filter(event -> !isJson(event.eventData()))
                        .map(NewEvent::eventId)
                        .findFirst()
                        .map("the data of event '%s' are not valid JSON"::formatted)
                        .orElse("an event has a text that PostgreSQL cannot store");
        };
    }

    private static boolean isJson(String text) {
        try {
            return Json.text(Json.parse(text)).length() > 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
