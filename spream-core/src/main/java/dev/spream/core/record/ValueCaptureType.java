package dev.spream.core.record;

/**
 * The values of a changed row that a change stream captures.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams#value-capture-type">Spanner: value capture types</a>
 */
public enum ValueCaptureType {
    /** Old and new values of the modified columns. */
    OLD_AND_NEW_VALUES,
    /** New values of the modified columns. */
    NEW_VALUES,
    /** New values of all watched columns. */
    NEW_ROW,
    /** New values of all watched columns, old values of the modified ones. */
    NEW_ROW_AND_OLD_VALUES,
    /** A type that this version does not know; {@link DataChangeRecord#valueCaptureTypeName()} keeps its name. */
    UNKNOWN;

    /** Returns the type of that name, or {@link #UNKNOWN}. */
    public static ValueCaptureType of(String name) {
        return switch (name) {
            case "OLD_AND_NEW_VALUES" -> OLD_AND_NEW_VALUES;
            case "NEW_VALUES" -> NEW_VALUES;
            case "NEW_ROW" -> NEW_ROW;
            case "NEW_ROW_AND_OLD_VALUES" -> NEW_ROW_AND_OLD_VALUES;
            default -> UNKNOWN;
        };
    }
}
