package dev.spream.core.record;

/**
 * The Spanner type of a column.
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

    /**
     * The type of that name, or {@link #UNKNOWN}. {@code INT}, which the documentation's examples use, is {@link #INT64}.
     */
    public static TypeCode of(String name) {
        return switch (name) {
            case "BOOL" -> BOOL;
            case "INT64", "INT" -> INT64;
            case "FLOAT64" -> FLOAT64;
            case "FLOAT32" -> FLOAT32;
            case "TIMESTAMP" -> TIMESTAMP;
            case "DATE" -> DATE;
            case "STRING" -> STRING;
            case "BYTES" -> BYTES;
            case "ARRAY" -> ARRAY;
            case "STRUCT" -> STRUCT;
            case "NUMERIC" -> NUMERIC;
            case "JSON" -> JSON;
            case "PROTO" -> PROTO;
            case "ENUM" -> ENUM;
            case "INTERVAL" -> INTERVAL;
            case "UUID" -> UUID;
            default -> UNKNOWN;
        };
    }
}
