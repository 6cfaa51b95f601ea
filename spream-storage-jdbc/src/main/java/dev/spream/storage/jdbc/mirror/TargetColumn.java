package dev.spream.storage.jdbc.mirror;

/**
 * A column of the mirror, as it is in PostgreSQL.
 *
 * @param name its name
 * @param castType its type without length and precision, as a cast names it: what is too long is refused then, and not cut
 * @param baseType the name of its type, or of the elements of an array; of a domain, that of what the domain is made of
 * @param isArray whether it is an array
 * @param isRequired whether a new row has to have a value for it
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
