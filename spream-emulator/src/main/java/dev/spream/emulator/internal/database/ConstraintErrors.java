package dev.spream.emulator.internal.database;

import dev.spream.emulator.internal.engine.EngineErrors;
import dev.spream.emulator.internal.sql.Errors;
import io.grpc.StatusRuntimeException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.h2.api.ErrorCode;

/** Translates the embedded engine's errors of rows that violate a constraint, of which only the texts have the values. */
final class ConstraintErrors {
    /** As in {@code "PUBLIC.ByName ON PUBLIC.T(Name NULLS FIRST) VALUES ( 'a')"}, with the engine's key in a comment. */
    private static final Pattern DUPLICATE = Pattern.compile(
            "\"(.+?) ON PUBLIC\\.(.+?)\\(([^)]*)\\) (?:VALUES )?\\( (?:/\\* (?:key:)?(-?\\d+) \\*/ )?(.*)\\)\"");

    /** As in {@code PUBLIC.Child FOREIGN KEY(Id) REFERENCES PUBLIC.Parent(Id) (CAST(1 AS BIGINT))}. */
    private static final Pattern REFERENCE =
            Pattern.compile("PUBLIC\\.(.+?) FOREIGN KEY\\(.*?\\) REFERENCES PUBLIC\\.(.+?)\\([^)]*\\) \\((.*)\\)\"");

    /** As in {@code column "Name CHARACTER VARYING(5)": "'too long' (8)"}. */
    private static final Pattern TOO_LONG =
            Pattern.compile("column \"(.+?) (?:CHARACTER|BINARY) VARYING\\((\\d+)\\)\": .*\\((\\d+)\\)\"");

    private static final Pattern QUOTED = Pattern.compile("\"([^\"]+)\"");
    private static final Pattern VALUE =
            Pattern.compile("CAST\\((-?\\d+) AS BIGINT\\)|('(?:[^']|'')*')|((?:[A-Z]+ )*[^,']+(?:'[^']*')?)");

    private ConstraintErrors() {}

    /** Returns the error of a row that was to be written into a table. */
    static StatusRuntimeException toStatus(SQLException e, String table) {
        String message = String.valueOf(e.getMessage());
        Matcher matcher =
                switch (e.getErrorCode()) {
                    case ErrorCode.DUPLICATE_KEY_1 -> DUPLICATE.matcher(message);
                    case ErrorCode.REFERENTIAL_INTEGRITY_VIOLATED_PARENT_MISSING_1,
                            ErrorCode.REFERENTIAL_INTEGRITY_VIOLATED_CHILD_EXISTS_1 -> REFERENCE.matcher(message);
                    case ErrorCode.VALUE_TOO_LONG_2 -> TOO_LONG.matcher(message);
                    default -> QUOTED.matcher(message);
                };
        if (!matcher.find()) {
            return EngineErrors.toStatus(e);
        }
        return switch (e.getErrorCode()) {
            case ErrorCode.DUPLICATE_KEY_1 -> duplicate(matcher);
            case ErrorCode.NULL_NOT_ALLOWED -> nullValue(table, matcher.group(1));
            case ErrorCode.REFERENTIAL_INTEGRITY_VIOLATED_PARENT_MISSING_1 ->
                Errors.notFound(
                        "Insert failed because key was not found in parent table:  Parent Table: %s  Child Table: %s  Key: %s",
                        name(matcher.group(2)), name(matcher.group(1)), shown(matcher.group(3)));
            case ErrorCode.REFERENTIAL_INTEGRITY_VIOLATED_CHILD_EXISTS_1 ->
                Errors.failedPrecondition(
                        "Delete failed because one or more keys exist within the child table:  Parent Table: %s  Child"
                                + " Table: %s  Key: %s",
                        name(matcher.group(2)), name(matcher.group(1)), shown(matcher.group(3)));
            case ErrorCode.VALUE_TOO_LONG_2 ->
                Errors.failedPrecondition(
                        "New value exceeds the maximum size limit for this column: %s.%s, size: %s, limit: %s.",
                        table, name(matcher.group(1)), matcher.group(3), matcher.group(2));
            default -> EngineErrors.toStatus(e);
        };
    }

    static StatusRuntimeException nullValue(String table, String column) {
        return Errors.failedPrecondition(
                "Cannot specify a null value for column: %s.%s in table: %s", table, column, table);
    }

    private static StatusRuntimeException duplicate(Matcher matcher) {
        String index = name(matcher.group(1)).replaceFirst("^PUBLIC\\.", "");
        boolean oneInteger = index.endsWith("PRIMARY KEY");
        if (!oneInteger && !index.contains("PRIMARY_KEY") && !index.contains("CONSTRAINT_INDEX")) {
            return Errors.alreadyExists(
                    "UNIQUE violation on index %s,  duplicate key: %s in this transaction.",
                    index, shown(matcher.group(5)));
        }
        List<String> values = new ArrayList<>();
        if (oneInteger) {
            values.add(String.valueOf(matcher.group(4)));
        } else {
            for (Matcher value = VALUE.matcher(matcher.group(5)); value.find(); ) {
                values.add(value.group(1) == null ? value.group().strip().replace('\'', '"') : value.group(1));
            }
        }
        String[] columns = matcher.group(3).replaceAll(" [A-Z ]+(?=,|$)", "").split(", ", -1);
        StringBuilder key = new StringBuilder();
        for (int i = 0; i < Math.min(columns.length, values.size()); i++) {
            key.append(i == 0 ? "" : ", ")
                    .append("pk#")
                    .append(name(columns[i]))
                    .append(':')
                    .append(values.get(i));
        }
        return Errors.alreadyExists("Failed to insert row with primary key ({%s}) due to previously existing row", key);
    }

    private static String name(String quoted) {
        return quoted.replace("\"", "");
    }

    /** Returns values in the engine's SQL as Spanner shows a key. */
    private static String shown(String values) {
        List<String> shown = new ArrayList<>();
        for (Matcher value = VALUE.matcher(values); value.find(); ) {
            if (value.group(1) != null) {
                shown.add("Int64(" + value.group(1) + ")");
            } else if (value.group(2) != null) {
                String text = value.group(2);
                shown.add("String(\"" + text.substring(1, text.length() - 1).replace("''", "'") + "\")");
            } else if (!value.group().isBlank()) {
                shown.add(value.group().strip());
            }
        }
        return "{" + String.join(", ", shown) + "}";
    }
}
