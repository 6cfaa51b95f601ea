package dev.spream.storage.spanner.source;

import com.google.cloud.ByteArray;
import com.google.cloud.Date;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.ResultSet;
import dev.spream.core.record.Json;
import java.math.BigDecimal;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Primary keys as JSON: an array of the code of each column's type and its value. */
final class KeyText {
    /** The key before the first row: it has no columns. */
    static final String NONE = "[]";

    private KeyText() {}

    /** Returns the key in the first columns of the row. */
    static String of(ResultSet row, int columns) {
        StringBuilder json = new StringBuilder("[");
        for (int i = 0; i < columns; i++) {
            json.append(i == 0 ? "\"" : ",\"")
                    .append(row.getColumnType(i).getCode().name())
                    .append("\",");
            ProtoValues.append(json, ProtoValues.of(row, i));
        }
        return json.append(']').toString();
    }

    static Key key(String text) {
        Key.Builder key = Key.newBuilder();
        if (Json.parse(text) instanceof List<?> parts) {
            for (int i = 0; i + 1 < parts.size(); i += 2) {
                append(key, String.valueOf(parts.get(i)), parts.get(i + 1));
            }
        }
        return key.build();
    }

    private static void append(Key.Builder key, String type, @Nullable Object value) {
        String text = value == null ? null : value.toString();
        switch (type) {
            case "BOOL" -> key.append((Boolean) value);
            case "INT64", "PG_OID", "ENUM" -> key.append(text == null ? null : Long.valueOf(text));
            case "FLOAT64", "FLOAT32" -> key.append(text == null ? null : Double.valueOf(text));
            case "NUMERIC" -> key.append(text == null ? null : new BigDecimal(text));
            case "BYTES", "PROTO" -> key.append(text == null ? null : ByteArray.fromBase64(text));
            case "TIMESTAMP" -> key.append(text == null ? null : Timestamp.parseTimestamp(text));
            case "DATE" -> key.append(text == null ? null : Date.parseDate(text));
            case "UUID" -> key.append(text == null ? null : UUID.fromString(text));
            default -> key.append(text);
        }
    }
}
