package dev.spream.storage.spanner.source;

import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.StructReader;
import com.google.cloud.spanner.Type;
import com.google.cloud.spanner.Value;
import dev.spream.core.record.JsonObject;
import dev.spream.core.source.UndecodableChange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Examines a row that could not be decoded: whether it has exactly one data change, and which parts of that can be
 * read. Any other content, such as a second record or one of an unknown kind, may name child partitions.
 */
final class RawRow {
    static final String DATA_CHANGE = "data_change_record";

    private RawRow() {}

    /** Returns the change in the current row; empty if the row may have other content as well. */
    static Optional<UndecodableChange> change(ResultSet row) {
        try {
            return switch (row.getColumnType(0).getCode()) {
                case ARRAY -> change(row.getStructList(0));
                case PG_JSONB -> change(row.getPgJsonb(0));
                case JSON -> change(row.getJson(0));
                case PROTO, BYTES -> RawMessage.change(ProtoRecords.message(row));
                default -> Optional.empty();
            };
        } catch (RuntimeException e) {
            return Optional.empty(); // not even its outline can be read
        }
    }

    private static Optional<UndecodableChange> change(List<Struct> elements) {
        if (elements.size() != 1) {
            return Optional.empty();
        }
        Struct record = Fields.present(elements).getFirst();
        List<Struct> changes = Fields.structs(record, DATA_CHANGE);
        for (Type.StructField field : record.getType().getStructFields()) {
            if (!field.getName().equals(DATA_CHANGE) && !isEmpty(record.getValue(field.getName()))) {
                return Optional.empty();
            }
        }
        if (changes.size() != 1) {
            return Optional.empty();
        }
        Struct change = changes.getFirst();
        return Optional.of(new UndecodableChange(
                readable(() -> Fields.timestamp(change, "commit_timestamp")),
                readable(() -> Fields.string(change, "server_transaction_id")),
                readable(() -> Fields.string(change, "record_sequence")),
                readable(() -> Fields.string(change, "table_name")),
                JsonObject.of(members(record)).toString()));
    }

    private static boolean isEmpty(Value value) {
        return value.isNull()
                || (value.getType().getCode() == Type.Code.ARRAY
                        && value.getType().getArrayElementType().getCode() == Type.Code.STRUCT
                        && value.getStructArray().isEmpty());
    }

    private static Optional<UndecodableChange> change(String json) {
        JsonObject row = JsonObject.of(json);
        for (Map.Entry<String, @Nullable Object> member : row.members().entrySet()) {
            if (!member.getKey().equals(DATA_CHANGE) && !isEmpty(member.getValue())) {
                return Optional.empty();
            }
        }
        return row.object(DATA_CHANGE)
                .filter(change -> !change.members().isEmpty())
                .map(change -> new UndecodableChange(
                        readable(() ->
                                Instant.parse(change.string("commit_timestamp").orElseThrow())),
                        readable(() -> change.string("server_transaction_id").orElseThrow()),
                        readable(() -> change.string("record_sequence").orElseThrow()),
                        readable(() -> change.string("table_name").orElseThrow()),
                        json));
    }

    private static boolean isEmpty(@Nullable Object value) {
        return value == null
                || (value instanceof Map<?, ?> map && map.isEmpty())
                || (value instanceof List<?> list && list.isEmpty());
    }

    /** Returns the value of a field; empty if it cannot be read. */
    static <T> Optional<T> readable(Supplier<T> field) {
        try {
            return Optional.of(field.get());
        } catch (RuntimeException e) {
            return Optional.empty();
        }
    }

    private static Map<String, @Nullable Object> members(StructReader struct) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        for (Type.StructField field : struct.getType().getStructFields()) {
            members.put(field.getName(), json(struct.getValue(field.getName())));
        }
        return members;
    }

    private static @Nullable Object json(Value value) {
        if (value.isNull()) {
            return null;
        }
        return switch (value.getType().getCode()) {
            case BOOL -> value.getBool();
            case INT64 -> value.getInt64();
            case STRUCT -> members(value.getStruct());
            case ARRAY ->
                value.getType().getArrayElementType().getCode() == Type.Code.STRUCT
                        ? structs(value.getStructArray())
                        : value.getAsStringList();
            default -> value.getAsString();
        };
    }

    private static List<@Nullable Object> structs(List<@Nullable Struct> structs) {
        List<@Nullable Object> elements = new ArrayList<>(structs.size());
        for (Struct struct : structs) {
            elements.add(struct == null ? null : members(struct));
        }
        return elements;
    }
}
