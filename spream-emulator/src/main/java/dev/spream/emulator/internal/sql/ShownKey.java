package dev.spream.emulator.internal.sql;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Keys in the texts of errors, as {@code {Int64(1), String("a")}}. */
public final class ShownKey {
    private ShownKey() {}

    /**
     * Returns a key as messages show it.
     *
     * @param key objects of the engine
     */
    public static String of(List<? extends @Nullable Object> key) {
        return key.stream().map(ShownKey::value).collect(Collectors.joining(", ", "{", "}"));
    }

    private static String value(@Nullable Object value) {
        return switch (value) {
            case null -> "NULL";
            case String text -> "String(\"" + text + "\")";
            case Boolean bool -> "Bool(" + bool + ")";
            case Double number -> "Double(" + number + ")";
            case Float number -> "Float(" + number + ")";
            case BigDecimal number -> "Numeric(" + number.stripTrailingZeros().toPlainString() + ")";
            case LocalDate date -> "Date(" + date + ")";
            case OffsetDateTime time -> "Timestamp(" + time.toInstant() + ")";
            case byte[] bytes -> "Bytes(" + bytes.length + " bytes)";
            default -> "Int64(" + value + ")";
        };
    }
}
