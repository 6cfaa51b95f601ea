package dev.spream.differential;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/**
 * The expected records of a stream that watches everything, derived from the writes and not from any server; and the
 * differences between them and a server's records.
 */
final class WrittenRows {
    private WrittenRows() {}

    /** The differences, whichever partitions and records the rows came in. */
    static List<String> differences(Workload workload, Streams.Stream stream, Changes changes) {
        List<String> differences = new ArrayList<>();
        for (int step = 0; step < workload.steps().size(); step++) {
            JsonArray written = sorted(workload.steps().get(step).changes().stream()
                    .flatMap(change -> expected(change, stream.options()).stream())
                    .toList());
            JsonArray reported = sorted(RecordRows.split(changes.at(step)).stream()
                    .map(WrittenRows::row)
                    .toList());
            differences.addAll(Differences.between(
                    stream.name() + ", transaction " + step + ", row ", "the writer", written, "the stream", reported));
        }
        return differences;
    }

    private static JsonArray sorted(List<JsonObject> rows) {
        JsonArray sorted = new JsonArray();
        rows.stream()
                .sorted(Comparator.comparing(
                                (JsonObject row) -> row.get("table_name").getAsString())
                        .thenComparing(row -> row.getAsJsonObject("keys"), WrittenRows::byText)
                        .thenComparing(row -> row.get("mod_type").getAsString()))
                .forEach(sorted::add);
        return sorted;
    }

    private static int byText(JsonObject a, JsonObject b) {
        return only(a, a.keySet().stream().sorted().toList())
                .toString()
                .compareTo(only(b, b.keySet().stream().sorted().toList()).toString());
    }

    private static JsonObject row(JsonObject record) {
        JsonObject row = record.getAsJsonArray("mods").get(0).getAsJsonObject().deepCopy();
        row.add("table_name", record.get("table_name"));
        row.add("mod_type", record.get("mod_type"));
        return row;
    }

    /** Returns one row, or two for a replaced one: a DELETE of what was there, and an INSERT. */
    private static List<JsonObject> expected(Workload.Change change, String options) {
        return change.replacesRow()
                ? List.of(expected(change, "DELETE", options), expected(change, "INSERT", options))
                : List.of(expected(change, change.modType(), options));
    }

    private static JsonObject expected(Workload.Change change, String modType, String options) {
        Collection<String> all = change.table().valueColumns();
        boolean update = modType.equals("UPDATE");
        boolean delete = modType.equals("DELETE");
        Collection<String> modified =
                update ? all.stream().filter(change.written()::has).toList() : all;
        boolean wholeRow = options.contains("'NEW_ROW");
        boolean oldValues = options.isEmpty() || options.contains("OLD_VALUES'");

        JsonObject row = new JsonObject();
        row.addProperty("table_name", change.table().name());
        row.addProperty("mod_type", modType);
        row.add("keys", change.key());
        row.add("new_values", delete ? new JsonObject() : only(change.after(), wholeRow ? all : modified));
        row.add("old_values", oldValues && (update || delete) ? only(change.before(), modified) : new JsonObject());
        return row;
    }

    private static JsonObject only(JsonObject row, Collection<String> columns) {
        JsonObject result = new JsonObject();
        for (String column : columns) {
            JsonElement value = row.get(column);
            result.add(column, value);
        }
        return result;
    }
}
