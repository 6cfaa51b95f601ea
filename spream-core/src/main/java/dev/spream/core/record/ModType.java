package dev.spream.core.record;

/** The kind of change to the rows of a data change record. */
public enum ModType {
    INSERT,
    UPDATE,
    DELETE,
    /** A type that this version does not know; {@link DataChangeRecord#modTypeName()} keeps its name. */
    UNKNOWN;

    /** Returns the type of that name, or {@link #UNKNOWN}. */
    public static ModType of(String name) {
        return switch (name) {
            case "INSERT" -> INSERT;
            case "UPDATE" -> UPDATE;
            case "DELETE" -> DELETE;
            default -> UNKNOWN;
        };
    }
}
