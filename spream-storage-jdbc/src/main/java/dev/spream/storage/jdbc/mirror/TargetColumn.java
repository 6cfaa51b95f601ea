package dev.spream.storage.jdbc.mirror;

/**
 * A column of the mirror, as defined in PostgreSQL.
 *
 * @param name its name
 * @param castType its type without length and precision, for casts, so that values that are too long are rejected and
 *     not truncated
 * @param baseType the name of its type; for an array, that of its elements, and for a domain, that of its base type
 * @param isArray whether it is an array
 * @param isRequired whether a new row must have a value for it
 * @param isGenerated whether the server computes it, so that it cannot be written
 */
record TargetColumn(
        String name, String castType, String baseType, boolean isArray, boolean isRequired, boolean isGenerated) {

    String quoted() {
        return TableName.quoted(name);
    }

    boolean isJson() {
        return baseType.equals("json") || baseType.equals("jsonb");
    }

    boolean hasMicroseconds() {
        return baseType.equals("timestamptz") || baseType.equals("timestamp");
    }

    boolean isBytes() {
        return baseType.equals("bytea");
    }
}
