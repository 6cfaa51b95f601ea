package dev.spream.emulator.internal.sql;

import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The parameters of a statement. As in Spanner, the type of a parameter without a declared one is inferred from its
 * value, as far as possible.
 */
public final class SqlParameters {
    static final SqlParameters NONE = new SqlParameters(Struct.getDefaultInstance(), Map.of());

    private final Map<String, Value> values = new HashMap<>();
    private final Map<String, Type> types = new HashMap<>();

    public SqlParameters(Struct params, Map<String, Type> paramTypes) {
        params.getFieldsMap().forEach((name, value) -> values.put(name.toLowerCase(Locale.ROOT), value));
        paramTypes.forEach((name, type) -> types.put(name.toLowerCase(Locale.ROOT), type));
    }

    /** Returns the value of {@code @name}, or of {@code $1} by the name {@code p1}. */
    Value value(String name) {
        Value value = values.get(name.toLowerCase(Locale.ROOT));
        if (value == null) {
            throw Errors.invalidArgument("No parameter found for binding: %s", name);
        }
        return value;
    }

    Type type(String name) {
        Type declared = types.get(name.toLowerCase(Locale.ROOT));
        return declared == null || declared.getCode() == TypeCode.TYPE_CODE_UNSPECIFIED
                ? inferred(value(name))
                : declared;
    }

    /** Returns whether the type was declared; the engine may convert a value whose type was not. */
    boolean isTyped(String name) {
        return types.containsKey(name.toLowerCase(Locale.ROOT));
    }

    private static Type inferred(Value value) {
        return switch (value.getKindCase()) {
            case BOOL_VALUE -> Types.BOOL;
            case NUMBER_VALUE -> Types.FLOAT64;
            case LIST_VALUE ->
                Types.array(
                        value.getListValue().getValuesCount() == 0
                                ? Types.STRING
                                : inferred(value.getListValue().getValues(0)));
            default -> Types.STRING;
        };
    }
}
