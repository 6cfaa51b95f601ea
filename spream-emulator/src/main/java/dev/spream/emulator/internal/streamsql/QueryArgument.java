package dev.spream.emulator.internal.streamsql;

import com.google.protobuf.Value;
import dev.spream.emulator.internal.sql.Errors;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An argument of a function that reads a stream: a literal, or the value of a parameter; null text stands for NULL. */
record QueryArgument(@Nullable String text) {
    static final QueryArgument NULL = new QueryArgument(null);

    static QueryArgument of(Value value) {
        return switch (value.getKindCase()) {
            case STRING_VALUE -> new QueryArgument(value.getStringValue());
            case NUMBER_VALUE -> new QueryArgument(Long.toString((long) value.getNumberValue()));
            case BOOL_VALUE -> new QueryArgument(Boolean.toString(value.getBoolValue()));
            case LIST_VALUE, STRUCT_VALUE ->
                new QueryArgument(value.getKindCase().name());
            case NULL_VALUE, KIND_NOT_SET -> NULL;
        };
    }

    Optional<Instant> timestamp() {
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(
                    text.toUpperCase(Locale.ROOT).replace(' ', 'T'), Instant::from));
        } catch (DateTimeException e) {
            throw Errors.invalidArgument("Could not cast literal \"" + text + "\" to type TIMESTAMP");
        }
    }

    Optional<Long> integer() {
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            throw Errors.invalidArgument("Could not cast literal \"" + text + "\" to type INT64");
        }
    }
}
