package dev.spream.emulator.internal.sql;

import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.internal.sql.Token.Kind;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;

/** The typed literals that are written differently in the embedded engine. Part of a translator. */
record LiteralTranslator(SqlTranslator translator, TokenCursor cursor, DatabaseDialect dialect) {
    private static final DateTimeFormatter TIMESTAMP = new DateTimeFormatterBuilder()
            .parseCaseInsensitive()
            .append(DateTimeFormatter.ISO_LOCAL_DATE)
            .optionalStart()
            .appendPattern("['T'][' ']")
            .append(DateTimeFormatter.ISO_LOCAL_TIME)
            .optionalEnd()
            .optionalStart()
            .appendPattern("[ ]")
            .appendOffset("+HH:mm", "Z")
            .optionalEnd()
            .optionalStart()
            .appendOffset("+HH", "Z")
            .optionalEnd()
            .toFormatter(Locale.ROOT);

    /** Translates the literal at the cursor, if it is written differently in the engine; returns whether it did. */
    boolean translate() {
        Token word = cursor.peek();
        if (word.isWord("ARRAY") && cursor.peek(1).isSymbol("<")) {
            String type = Types.engineType(Types.parse(cursor, dialect).type());
            cursor.expectSymbol("[");
            translator.emit(
                    "CAST( ARRAY [", translator.capture(() -> translator.translateUntil("]")), "] AS " + type + ")");
            return true;
        }
        if (word.isWord("ARRAY") && cursor.peek(1).isSymbol("[")) {
            cursor.next();
            cursor.next();
            translator.emit("ARRAY [", translator.capture(() -> translator.translateUntil("]")), "]");
            if (dialect == DatabaseDialect.POSTGRESQL && cursor.peek().isSymbol("[")) {
                throw Errors.invalidArgument("[ERROR] syntax error at or near \"[\"");
            }
            return true;
        }
        if (word.isWord("INTERVAL") && cursor.peek(1).kind() != Kind.STRING) {
            cursor.next();
            String amount = translator.capture(this::amount);
            translator.emit(
                    "( (", amount, ") * INTERVAL '1'", interval(cursor.next().upper()), ")");
            return true;
        }
        return cursor.peek(1).kind() == Kind.STRING && typedLiteral(word);
    }

    /** Translates the number of an interval, up to its unit. */
    void amount() {
        do {
            translator.translateToken();
        } while (cursor.peek().kind() != Kind.WORD);
    }

    private static String interval(String unit) {
        return switch (unit) {
            case "MILLISECOND" -> "SECOND * 1E-3";
            case "MICROSECOND" -> "SECOND * 1E-6";
            case "NANOSECOND" -> "SECOND * 1E-9";
            default -> unit;
        };
    }

    private boolean typedLiteral(Token type) {
        String text = cursor.peek(1).text();
        String translated =
                switch (type.upper()) {
                    case "TIMESTAMP", "TIMESTAMPTZ" -> timestamp(parseTimestamp(text));
                    case "NUMERIC" ->
                        "CAST(%s AS %s)"
                                .formatted(
                                        SqlTranslator.stringLiteral(text),
                                        Types.engineType(
                                                dialect == DatabaseDialect.POSTGRESQL
                                                        ? Types.PG_NUMERIC
                                                        : Types.NUMERIC));
                    case "JSON", "JSONB" ->
                        "JSON "
                                + SqlTranslator.stringLiteral(
                                        NormalJson.of(text, dialect == DatabaseDialect.POSTGRESQL));
                    case "DATE" -> "DATE " + SqlTranslator.stringLiteral(text);
                    default -> "";
                };
        if (translated.isEmpty()) {
            return false;
        }
        cursor.next();
        cursor.next();
        translator.emit(translated);
        return true;
    }

    private static Instant parseTimestamp(String text) {
        try {
            TemporalAccessor parsed = TIMESTAMP.parse(text.strip());
            boolean hasTime = parsed.isSupported(ChronoField.NANO_OF_DAY);
            LocalDateTime local = hasTime
                    ? LocalDateTime.from(parsed)
                    : LocalDate.from(parsed).atStartOfDay();
            boolean hasOffset = parsed.isSupported(ChronoField.OFFSET_SECONDS);
            return local.atZone(hasOffset ? ZoneOffset.from(parsed) : Values.DEFAULT_ZONE)
                    .toInstant();
        } catch (DateTimeParseException e) {
            throw Errors.invalidArgument("Invalid TIMESTAMP literal: %s", text);
        }
    }

    static String timestamp(Instant instant) {
        String text = instant.toString();
        return "TIMESTAMP WITH TIME ZONE '" + text.substring(0, text.length() - 1) + "+00'";
    }
}
