package dev.spream.differential;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;

/** Takes the records of a transaction apart into records of one row each, and puts such together again. */
final class RecordRows {
    private static final List<String> SAME_IN_A_RECORD = List.of("table_name", "mod_type", "column_types");

    private RecordRows() {}

    static List<JsonObject> split(List<JsonObject> records) {
        List<JsonObject> rows = new ArrayList<>();
        for (JsonObject record : records) {
            for (JsonElement mod : record.getAsJsonArray("mods")) {
                JsonObject row = record.deepCopy();
                JsonArray mods = new JsonArray();
                mods.add(mod);
                row.add("mods", mods);
                rows.add(row);
            }
        }
        return rows;
    }

    /** Joins rows that follow one another and have table, mod type and columns in common, in one partition. */
    static List<JsonObject> joined(List<JsonObject> rows) {
        List<JsonObject> records = new ArrayList<>();
        for (JsonObject row : rows) {
            if (!records.isEmpty() && joins(records.getLast(), row)) {
                records.getLast().getAsJsonArray("mods").addAll(row.getAsJsonArray("mods"));
            } else {
                records.add(row.deepCopy());
            }
        }
        for (int i = 0; i < records.size(); i++) {
            JsonObject record = records.get(i);
            record.addProperty("record_sequence", "%08d".formatted(i));
            record.addProperty("is_last_record_in_transaction_in_partition", i == records.size() - 1);
            record.addProperty("number_of_records_in_transaction", records.size());
        }
        return records;
    }

    private static boolean joins(JsonObject record, JsonObject row) {
        return SAME_IN_A_RECORD.stream().allMatch(field -> record.get(field).equals(row.get(field)));
    }

    /** Orders two rows of one table by their keys. */
    static int byKey(JsonObject a, JsonObject b) {
        WorkloadTable table = WorkloadTable.named(a.get("table_name").getAsString());
        for (String column : table.key()) {
            String left = key(a).get(column).getAsString();
            String right = key(b).get(column).getAsString();
            int order = table.kind(column) == ColumnKind.INT64
                    ? Long.compare(Long.parseLong(left), Long.parseLong(right))
                    : left.compareTo(right);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    /** The key of a record of one row. */
    static JsonObject key(JsonObject row) {
        return row.getAsJsonArray("mods").get(0).getAsJsonObject().getAsJsonObject("keys");
    }
}
