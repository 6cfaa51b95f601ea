package dev.spream.core.record;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The code of a Spanner type, such as INT64 or ARRAY; {@link SpannerType} has the element type of an array.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/reference/rpc/google.spanner.v1#typecode">google.spanner.v1.TypeCode</a>
 */
public enum TypeCode {
    BOOL,
    INT64,
    FLOAT64,
    FLOAT32,
    TIMESTAMP,
    DATE,
    STRING,
    BYTES,
    ARRAY,
    STRUCT,
    NUMERIC,
    JSON,
    PROTO,
    ENUM,
    INTERVAL,
    UUID,
    /** A type that this version does not know; {@link SpannerType#codeName()} keeps its name. */
    UNKNOWN;

    private static final Map<String, TypeCode> BY_NAME =
            Arrays.stream(values()).collect(Collectors.toMap(TypeCode::name, Function.identity()));

    /**
     * Returns the type of that name, or {@link #UNKNOWN}. {@code INT}, which the documentation's examples use, is
     * {@link #INT64}.
     */
    public static TypeCode of(String name) {
        return name.equals("INT") ? INT64 : BY_NAME.getOrDefault(name, UNKNOWN);
    }
}
