package dev.spream.differential;

import com.google.cloud.Timestamp;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * A transaction in the records of both servers, while quirks turn our records into what Google's emulator makes of them.
 *
 * @param written what the transaction did
 * @param ours changed by quirks
 * @param googles changed only to take away what should not be there
 * @param committed when Google's emulator committed each step
 */
record ComparedTransaction(
        int step, Workload.Step written, List<JsonObject> ours, List<JsonObject> googles, List<Timestamp> committed) {
    private static final List<String> IMAGES = List.of("new_values", "old_values");

    ComparedTransaction {
        ours = new ArrayList<>(ours.stream().map(JsonObject::deepCopy).toList());
        googles = new ArrayList<>(googles.stream().map(JsonObject::deepCopy).toList());
    }

    List<String> differences(String stream) {
        return Differences.between(
                stream + ", transaction " + step + ", record ",
                "our emulator",
                array(ours),
                "Google's",
                array(googles));
    }

    private static JsonArray array(List<JsonObject> records) {
        JsonArray array = new JsonArray();
        records.forEach(array::add);
        return array;
    }

    /** A timestamp of a column, which may be the commit timestamp of a step. */
    Instant instant(String text) {
        return Changes.stepOf(text)
                .map(step -> committed.get(step).toSqlTimestamp().toInstant())
                .orElseGet(() -> Instant.parse(text));
    }

    /** Changes the values of columns of some kinds, those within arrays one by one, NULLs left out. */
    int changeValues(Set<ColumnKind> kinds, BiFunction<ColumnKind, JsonElement, JsonElement> change) {
        int changed = 0;
        for (JsonObject record : ours) {
            WorkloadTable table = WorkloadTable.named(record.get("table_name").getAsString());
            for (JsonObject image : images(record)) {
                for (String column : List.copyOf(image.keySet())) {
                    ColumnKind kind = table.kind(column);
                    JsonElement before = image.get(column);
                    if (kinds.contains(kind) && !before.isJsonNull()) {
                        JsonElement after = changed(kind, before, change);
                        image.add(column, after);
                        changed += after.equals(before) ? 0 : 1;
                    }
                }
            }
        }
        return changed;
    }

    private static JsonElement changed(
            ColumnKind kind, JsonElement before, BiFunction<ColumnKind, JsonElement, JsonElement> change) {
        if (!before.isJsonArray()) {
            return change.apply(kind, before);
        }
        JsonArray array = new JsonArray();
        before.getAsJsonArray()
                .forEach(element -> array.add(element.isJsonNull() ? element : change.apply(kind, element)));
        return array;
    }

    /** The arrays of our values of one kind. */
    List<JsonArray> arrays(ColumnKind kind) {
        List<JsonArray> arrays = new ArrayList<>();
        for (JsonObject record : ours) {
            WorkloadTable table = WorkloadTable.named(record.get("table_name").getAsString());
            for (JsonObject image : images(record)) {
                image.entrySet().stream()
                        .filter(entry -> table.kind(entry.getKey()) == kind
                                && entry.getValue().isJsonArray())
                        .forEach(entry -> arrays.add(entry.getValue().getAsJsonArray()));
            }
        }
        return arrays;
    }

    private static List<JsonObject> images(JsonObject record) {
        List<JsonObject> images = new ArrayList<>();
        for (JsonElement mod : record.getAsJsonArray("mods")) {
            IMAGES.stream()
                    .map(mod.getAsJsonObject()::get)
                    .filter(JsonElement::isJsonObject)
                    .forEach(image -> images.add(image.getAsJsonObject()));
        }
        return images;
    }

    /** Takes Google's updates away that write no column that their record lists; returns how many. */
    int dropUnwatchedUpdates() {
        List<JsonObject> rows = RecordRows.split(googles);
        List<JsonObject> watched =
                rows.stream().filter(row -> !isUnwatchedUpdate(row)).toList();
        if (watched.size() < rows.size()) {
            replace(googles, RecordRows.joined(watched));
        }
        return rows.size() - watched.size();
    }

    private boolean isUnwatchedUpdate(JsonObject row) {
        Set<String> columns = change(row).written().keySet();
        return row.get("value_capture_type").getAsString().startsWith("NEW_ROW")
                && row.get("mod_type").getAsString().equals("UPDATE")
                && row.getAsJsonArray("column_types").asList().stream()
                        .map(JsonElement::getAsJsonObject)
                        .filter(column -> !column.get("is_primary_key").getAsBoolean())
                        .noneMatch(column -> columns.contains(column.get("name").getAsString()));
    }

    private Workload.Change change(JsonObject row) {
        return written.change(row.get("table_name").getAsString(), RecordRows.key(row));
    }

    /** Joins Google's records if the transaction has updates that left no record; returns how many fewer there are. */
    int joinAcrossSilentUpdates() {
        List<JsonObject> rows = RecordRows.split(googles);
        boolean silent = written.changes().stream()
                .filter(change -> change.modType().equals("UPDATE"))
                .anyMatch(change -> rows.stream().noneMatch(row -> change(row).equals(change)));
        if (!silent) {
            return 0;
        }
        int before = googles.size();
        replace(googles, RecordRows.joined(rows));
        return before - googles.size();
    }

    /** Leaves out our deletions of rows that the transaction replaced; returns how many. */
    int dropDeletionsOfReplacedRows() {
        List<JsonObject> rows = RecordRows.split(ours);
        List<JsonObject> kept = rows.stream()
                .filter(row -> !change(row).replacesRow()
                        || row.get("mod_type").getAsString().equals("INSERT"))
                .toList();
        if (kept.size() < rows.size()) {
            replace(ours, RecordRows.joined(kept));
        }
        return rows.size() - kept.size();
    }

    private static void replace(List<JsonObject> records, List<JsonObject> replacement) {
        records.clear();
        records.addAll(replacement);
    }

    /** Brings our rows into the order of table and key, the tables as Google's has them; returns whether it changed. */
    boolean reorder() {
        List<String> tables = googles.stream()
                .map(record -> record.get("table_name").getAsString())
                .distinct()
                .toList();
        List<JsonObject> rows = RecordRows.split(ours);
        List<JsonObject> sorted = new ArrayList<>(rows);
        sorted.sort(Comparator.<JsonObject>comparingInt(
                        row -> tables.indexOf(row.get("table_name").getAsString()))
                .thenComparing(RecordRows::byKey));
        if (sorted.equals(rows)) {
            return false;
        }
        replace(ours, RecordRows.joined(sorted));
        return true;
    }
}
