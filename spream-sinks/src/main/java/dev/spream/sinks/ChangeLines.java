package dev.spream.sinks;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.spream.api.format.ChangeFormat;
import dev.spream.api.format.ChangedRow;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Json;
import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.Optional;

/**
 * The lines of a change.
 *
 * @param rows the format of the lines, one a row; empty for one line a change, the record with all of its rows
 */
record ChangeLines(Optional<ChangeFormat> rows) {
    static final ChangeLines OF_RECORDS = new ChangeLines(Optional.empty());

    ChangeLines {
        rows.filter(format -> !format.isText()).ifPresent(format -> {
            throw new IllegalArgumentException(
                    "format: messages of %s are not text, and cannot be lines".formatted(format.contentType()));
        });
    }

    /** Returns the lines with their ends. */
    byte[] of(DataChangeRecord change, Delivery delivery) {
        if (rows.isEmpty()) {
            return (change.toJson() + "\n").getBytes(UTF_8);
        }
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (ChangedRow row : ChangedRow.of(change, delivery)) {
            lines.writeBytes(rows.get().value(row));
            lines.write('\n');
        }
        return lines.toByteArray();
    }

    /** Returns the text with which every line begins. */
    String beginning() {
        return rows.orElseGet(ChangeFormat::record).beginning();
    }

    /** Returns whether the text is a line with nothing missing at its end. */
    boolean isWhole(String line) {
        try {
            if (rows.isEmpty()) {
                ChangeRecordJson.readDataChange(line);
                return true;
            }
            return Json.parse(line) instanceof Map;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
