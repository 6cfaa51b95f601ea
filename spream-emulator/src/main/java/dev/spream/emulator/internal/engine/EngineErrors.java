package dev.spream.emulator.internal.engine;

import dev.spream.emulator.internal.sql.Errors;
import io.grpc.StatusRuntimeException;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.h2.api.ErrorCode;

/** Translates errors of the embedded engine into Spanner's codes and texts, but for those of written rows. */
public final class EngineErrors {
    private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"");

    /** The word that follows the engine's mark. */
    private static final Pattern PLACE = Pattern.compile("\\[\\*]\\s*([^\\s\"]+|\"\"[^\"]+\"\")");

    private EngineErrors() {}

    public static StatusRuntimeException toStatus(SQLException e) {
        if (ofFunction(e) instanceof StatusRuntimeException status) {
            return status;
        }
        String message = firstLine(e);
        return switch (e.getErrorCode()) {
            case ErrorCode.TABLE_OR_VIEW_NOT_FOUND_1,
                    ErrorCode.TABLE_OR_VIEW_NOT_FOUND_WITH_CANDIDATES_2,
                    ErrorCode.TABLE_OR_VIEW_NOT_FOUND_DATABASE_EMPTY_1 ->
                Errors.invalidArgument("Table not found: %s", quoted(message));
            case ErrorCode.COLUMN_NOT_FOUND_1 -> Errors.invalidArgument("Unrecognized name: %s", quoted(message));
            case ErrorCode.FUNCTION_NOT_FOUND_1 -> Errors.invalidArgument("Function not found: %s", quoted(message));
            case ErrorCode.SYNTAX_ERROR_1, ErrorCode.SYNTAX_ERROR_2 ->
                Errors.invalidArgument("Syntax error, or SQL that this emulator does not support%s", place(message));
            case ErrorCode.DUPLICATE_KEY_1 -> Errors.alreadyExists(message);
            case ErrorCode.COLUMN_CONTAINS_NULL_VALUES_1 ->
                Errors.failedPrecondition("Cannot specify a null value for column: %s", quoted(message));
            case ErrorCode.DIVISION_BY_ZERO_1 -> Errors.outOfRange("Division by zero");
            case ErrorCode.INVALID_VALUE_2, ErrorCode.NUMERIC_VALUE_OUT_OF_RANGE_1, ErrorCode.DATA_CONVERSION_ERROR_1 ->
                Errors.outOfRange(message);
            case ErrorCode.VALUE_TOO_LONG_2 ->
                message.contains("\"NUMERIC(")
                        ? Errors.outOfRange("numeric overflow")
                        : Errors.invalidArgument("%s", message);
            case ErrorCode.FEATURE_NOT_SUPPORTED_1 ->
                Errors.unimplemented("not supported by the emulator: %s", message);
            case ErrorCode.LOCK_TIMEOUT_1, ErrorCode.DEADLOCK_1, ErrorCode.CONCURRENT_UPDATE_1 ->
                Errors.aborted("Transaction was aborted: " + message);
            case ErrorCode.GENERAL_ERROR_1 -> Errors.internal(e);
            default -> Errors.invalidArgument("%s", message);
        };
    }

    private static Throwable ofFunction(SQLException e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static String quoted(String message) {
        Matcher matcher = QUOTED.matcher(message);
        return matcher.find() ? matcher.group(1) : message;
    }

    /** Returns where the engine found an error in its own SQL. */
    private static String place(String message) {
        Matcher matcher = PLACE.matcher(message);
        return matcher.find() ? ", near \"" + matcher.group(1).replace("\"\"", "") + "\"" : "";
    }

    private static String firstLine(SQLException e) {
        String message = String.valueOf(e.getMessage());
        int statement = message.indexOf("; SQL statement:");
        return statement < 0 ? message : message.substring(0, statement);
    }
}
