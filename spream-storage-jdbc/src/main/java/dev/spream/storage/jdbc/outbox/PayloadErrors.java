package dev.spream.storage.jdbc.outbox;

import java.sql.SQLException;

/**
 * What the server says of a payload that it does not take.
 *
 * @see <a href="https://www.postgresql.org/docs/current/datatype-json.html">PostgreSQL: JSON types</a>
 */
final class PayloadErrors {
    private static final String DATA_EXCEPTION = "22";
    private static final String STACK_DEPTH = "54001";
    private static final String PROGRAM_LIMIT = "54000";
    private static final String UNTRANSLATABLE = "22P05";

    private PayloadErrors() {}

    static boolean isAboutPayload(SQLException error) {
        String state = String.valueOf(error.getSQLState());
        return state.startsWith(DATA_EXCEPTION) || state.equals(STACK_DEPTH) || state.equals(PROGRAM_LIMIT);
    }

    /** Without anything of the payload. */
    static String reason(SQLException error) {
        return switch (String.valueOf(error.getSQLState())) {
            case UNTRANSLATABLE -> "a payload has characters that PostgreSQL cannot hold in JSON, such as \\u0000";
            case STACK_DEPTH, PROGRAM_LIMIT -> "a payload is deeper or larger than what PostgreSQL holds as JSON";
            default -> "a payload is no JSON text that PostgreSQL can hold";
        };
    }
}
