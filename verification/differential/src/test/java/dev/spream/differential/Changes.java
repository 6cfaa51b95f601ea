package dev.spream.differential;

import com.google.cloud.Timestamp;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The records of a workload in a stream, by transaction: for each step that left records, those records in order.
 * Commit timestamps are replaced by step numbers, and values that necessarily differ between servers are removed.
 */
record Changes(TreeMap<Integer, List<JsonObject>> steps) {
    private static final String COMMITTED_AT = "commit timestamp of transaction ";
    private static final List<String> NOT_COMPARABLE = List.of("server_transaction_id", "commit_timestamp");

    /**
     * Sorts records into the workload's transactions.
     *
     * @param committed the commit timestamps of the steps, as the writer was told
     * @throws AssertionError if a record belongs to no step
     */
    static Changes of(List<JsonObject> records, List<Timestamp> committed) {
        Map<Instant, Integer> stepAt = new HashMap<>();
        for (int step = 0; step < committed.size(); step++) {
            if (stepAt.put(committed.get(step).toSqlTimestamp().toInstant(), step) != null) {
                throw new AssertionError("one writer was told " + committed.get(step) + " of two transactions");
            }
        }
        TreeMap<Integer, List<JsonObject>> steps = new TreeMap<>();
        for (JsonObject record : records) {
            String text = record.get("commit_timestamp").getAsString();
            Integer step = stepAt.get(OffsetDateTime.parse(text).toInstant());
            if (step == null) {
                throw new AssertionError("no transaction was committed at " + text + ": " + record);
            }
            JsonObject comparable = comparable(record);
            nameCommitTimestamps(comparable, stepAt);
            steps.computeIfAbsent(step, any -> new ArrayList<>()).add(comparable);
        }
        steps.values()
                .forEach(list -> list.sort(Comparator.comparing(
                        record -> record.get("record_sequence").getAsString())));
        return new Changes(steps);
    }

    /** The placeholder for a column whose value is the commit timestamp of a step. */
    static String committedAt(int step) {
        return COMMITTED_AT + step;
    }

    /** The step whose commit timestamp is called that; empty if the text is something else. */
    static Optional<Integer> stepOf(String text) {
        return text.startsWith(COMMITTED_AT)
                ? Optional.of(Integer.valueOf(text.substring(COMMITTED_AT.length())))
                : Optional.empty();
    }

    private static void nameCommitTimestamps(JsonObject record, Map<Instant, Integer> stepAt) {
        WorkloadTable table = WorkloadTable.named(record.get("table_name").getAsString());
        for (JsonElement mod : record.getAsJsonArray("mods")) {
            for (String image : List.of("new_values", "old_values")) {
                if (!mod.getAsJsonObject().get(image).isJsonObject()) {
                    continue;
                }
                JsonObject values = mod.getAsJsonObject().getAsJsonObject(image);
                for (String column : List.copyOf(values.keySet())) {
                    JsonElement value = values.get(column);
                    if (table.kind(column) == ColumnKind.COMMIT_TIMESTAMP && !value.isJsonNull()) {
                        Optional.ofNullable(stepAt.get(OffsetDateTime.parse(value.getAsString())
                                        .toInstant()))
                                .ifPresent(step -> values.addProperty(column, committedAt(step)));
                    }
                }
            }
        }
    }

    private static JsonObject comparable(JsonObject record) {
        JsonObject copy = record.deepCopy();
        NOT_COMPARABLE.forEach(copy::remove);
        return copy;
    }

    List<JsonObject> at(int step) {
        return steps.getOrDefault(step, List.of());
    }
}
