package dev.spream.format.schema;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.ValueCaptureType;
import java.math.BigDecimal;

/** The values of a row after its change, and the refusals of rows that a schema does not fit. */
public final class RowContents {
    private RowContents() {}

    /** Returns whether the rows of the change are deleted. */
    public static boolean isDelete(DataChangeRecord change) {
        return change.modType() == ModType.DELETE;
    }

    /**
     * Returns the values of a row other than those of its key; none for a deleted row.
     *
     * @param format the name of the format, for the message of the exception
     * @throws NonRetryableException if the kind of the change is unknown, or an UPDATE was captured in part: absent columns
     *     would be NULL
     */
    public static JsonObject valuesAfter(DataChangeRecord change, Mod mod, String format) {
        switch (change.modType()) {
            case INSERT -> {
                return mod.newValues();
            }
            case UPDATE -> {
                requireWhole(change, format);
                return mod.newValues();
            }
            case DELETE -> {
                return JsonObject.EMPTY;
            }
            case UNKNOWN -> {}
        }
        throw new NonRetryableException(
                "the change %s is of the unknown kind %s, so it is not known whether its rows exist after it"
                        .formatted(change.identity(), change.modTypeName()));
    }

    private static void requireWhole(DataChangeRecord change, String format) {
        ValueCaptureType captured = change.valueCaptureType();
        if (captured != ValueCaptureType.NEW_ROW && captured != ValueCaptureType.NEW_ROW_AND_OLD_VALUES) {
            throw new NonRetryableException(
                    ("the change %s was captured as %s, which has the modified columns only, and not the row after the change."
                                    + " Set value_capture_type = 'NEW_ROW' on the change stream for later changes, or"
                                    + " format.%s.shape=record")
                            .formatted(change.identity(), change.valueCaptureTypeName(), format));
        }
    }

    /**
     * Refuses a row whose key has other columns than its types.
     *
     * @param keys the number of columns of the primary key that have a type
     */
    public static void requireKey(DataChangeRecord change, Mod mod, long keys) {
        if (mod.keys().members().size() != keys) {
            throw new NonRetryableException(
                    "the change %s has a primary key of other columns than the %d whose types it has"
                            .formatted(change.identity(), keys));
        }
    }

    /**
     * Returns the text of a value that Spanner sends as a string or a number.
     *
     * @throws ClassCastException if it is of another type
     */
    public static String text(Object value) {
        if (value instanceof String || value instanceof BigDecimal) {
            return value.toString();
        }
        throw new ClassCastException("neither text nor a number");
    }

    /** Returns the failure of a value that is none of its column's type; it does not contain the value. */
    public static NonRetryableException notOfType(DataChangeRecord change, String column, String type) {
        return new NonRetryableException(
                "the column %s of the table %s has a value in the change %s that is none of its type %s"
                        .formatted(column, change.tableName(), change.identity(), type));
    }
}
