package dev.spream.api.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.ValueCaptureType;

/**
 * The row after the change. A deleted row has no other than its key, and a mark: {@code {"Id":17,"__deleted":true}}. No
 * column has that name: names begin with a letter.
 */
final class AfterFormat implements ChangeFormat {
    private static final String DELETED = ",\"__deleted\":true}";

    private final RowColumns.Cache columns = new RowColumns.Cache();
    private final boolean partialRows;

    AfterFormat(boolean partialRows) {
        this.partialRows = partialRows;
    }

    @Override
    public String contentType() {
        return "application/json";
    }

    @Override
    public boolean isText() {
        return true;
    }

    @Override
    public String beginning() {
        return "{\"";
    }

    @Override
    public Deletion deletion() {
        return Deletion.TOMBSTONE;
    }

    @Override
    public byte[] key(ChangedRow row) {
        StringBuilder out = new StringBuilder();
        columns.of(row.change()).appendKey(out, row.mod());
        return out.toString().getBytes(UTF_8);
    }

    @Override
    public byte[] value(ChangedRow row) {
        StringBuilder out = new StringBuilder();
        RowColumns known = columns.of(row.change());
        switch (row.change().modType()) {
            case INSERT -> known.appendPresent(out, row.mod(), row.mod().newValues());
            case UPDATE -> {
                requireWhole(row.change());
                known.appendPresent(out, row.mod(), row.mod().newValues());
            }
            case DELETE -> {
                known.appendPresent(out, row.mod(), JsonObject.EMPTY);
                return out.append(DELETED).toString().getBytes(UTF_8);
            }
            case UNKNOWN ->
                throw new NonRetryableException(
                        "the change %s is of the unknown kind %s, so it is not known whether its rows exist after it"
                                .formatted(row.change().identity(), row.change().modTypeName()));
        }
        return out.append('}').toString().getBytes(UTF_8);
    }

    /**
     * Refuses an UPDATE that was captured in part. A reader that replaces rows, such as a compacted topic, would lose the
     * other columns.
     */
    private void requireWhole(DataChangeRecord change) {
        ValueCaptureType captured = change.valueCaptureType();
        if (!partialRows
                && captured != ValueCaptureType.NEW_ROW
                && captured != ValueCaptureType.NEW_ROW_AND_OLD_VALUES) {
            throw new NonRetryableException(
                    ("the change %s was captured as %s, which has the modified columns only, and not the row after the change."
                                    + " Set value_capture_type = 'NEW_ROW' on the change stream for later changes, and"
                                    + " after-partial=true of the sink if its readers can merge modified columns")
                            .formatted(change.identity(), change.valueCaptureTypeName()));
        }
    }
}
