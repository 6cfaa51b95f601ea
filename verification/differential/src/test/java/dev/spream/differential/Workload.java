package dev.spream.differential;

import com.google.cloud.Date;
import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.Mutation;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * Transactions that follow from a seed alone, so that every server is given the same ones, and what each of them does to
 * the rows. Within a transaction no row is changed twice.
 *
 * @param steps the transactions, in the order of their commits
 */
record Workload(List<Step> steps) {
    private static final List<Verb> VERBS = List.of(Verb.values());
    private static final int KEYS = 40;
    private static final int MOST_CHANGES = 6;
    private static final String[] REGIONS = {"eu", "us", "asia"};

    /** The statement by which a row is written. */
    enum Verb {
        INSERT,
        UPDATE,
        INSERT_OR_UPDATE,
        REPLACE,
        DELETE
    }

    /**
     * One row's change.
     *
     * @param written the written columns with their values, those of the key included
     * @param before the whole row before; empty if there was none
     * @param after the whole row afterwards; empty if it was deleted
     */
    record Change(Verb verb, WorkloadTable table, JsonObject written, JsonObject before, JsonObject after) {
        JsonObject key() {
            return only(written, table.key());
        }

        /** The mod type of its record; that of the second one if it replaces a row. */
        String modType() {
            if (verb == Verb.DELETE) {
                return "DELETE";
            }
            return before.isEmpty() || replacesRow() ? "INSERT" : "UPDATE";
        }

        boolean replacesRow() {
            return verb == Verb.REPLACE && !before.isEmpty();
        }

        Mutation mutation(Dialect dialect) {
            Mutation.WriteBuilder builder =
                    switch (verb) {
                        case INSERT -> Mutation.newInsertBuilder(table.name());
                        case UPDATE -> Mutation.newUpdateBuilder(table.name());
                        case INSERT_OR_UPDATE -> Mutation.newInsertOrUpdateBuilder(table.name());
                        case REPLACE -> Mutation.newReplaceBuilder(table.name());
                        case DELETE -> null;
                    };
            if (builder == null) {
                Key.Builder key = Key.newBuilder();
                table.key().forEach(column -> key.appendObject(keyPart(table.kind(column), written.get(column))));
                return Mutation.delete(table.name(), key.build());
            }
            written.entrySet()
                    .forEach(entry -> builder.set(entry.getKey())
                            .to(table.kind(entry.getKey()).value(entry.getValue(), dialect)));
            return builder.build();
        }

        private static Object keyPart(ColumnKind kind, JsonElement value) {
            return switch (kind) {
                case INT64 -> value.getAsLong();
                case DATE -> Date.parseDate(value.getAsString());
                default -> value.getAsString();
            };
        }
    }

    /** A transaction. */
    record Step(List<Change> changes) {
        Step {
            changes = List.copyOf(changes);
        }

        /** Returns its change of a row. */
        Change change(String table, JsonObject key) {
            return changes.stream()
                    .filter(change ->
                            change.table().name().equals(table) && change.key().equals(key))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("the workload did not touch " + key + " of " + table));
        }
    }

    private static JsonObject only(JsonObject row, List<String> columns) {
        JsonObject result = new JsonObject();
        columns.forEach(column -> result.add(column, row.get(column)));
        return result;
    }

    /** Transactions that use every verb. */
    static Workload of(long seed, int transactions) {
        return new Generator(seed, true).workload(transactions);
    }

    /** Transactions that never replace a row that is there. */
    static Workload withoutReplacedRows(long seed, int transactions) {
        return new Generator(seed, false).workload(transactions);
    }

    /** Commits one transaction after another, and returns their commit timestamps. */
    List<Timestamp> write(DatabaseClient database, Dialect dialect) {
        return write(database, dialect, step -> {});
    }

    /** The same, with something to do before each transaction. */
    List<Timestamp> write(DatabaseClient database, Dialect dialect, IntConsumer before) {
        List<Timestamp> committed = new ArrayList<>();
        for (int i = 0; i < steps.size(); i++) {
            before.accept(i);
            committed.add(database.write(steps.get(i).changes().stream()
                    .map(change -> change.mutation(dialect))
                    .toList()));
        }
        return committed;
    }

    /** Keeps the rows that the transactions so far have left, and writes what fits them. */
    private static final class Generator {
        private final Random random;
        private final Map<WorkloadTable, Map<JsonObject, JsonObject>> rows = new HashMap<>();

        private final boolean replacing;

        Generator(long seed, boolean replacing) {
            this.random = new Random(seed);
            this.replacing = replacing;
            WorkloadTable.ALL.forEach(table -> rows.put(table, new HashMap<>()));
        }

        Workload workload(int transactions) {
            List<Step> steps = new ArrayList<>();
            for (int i = 0; i < transactions; i++) {
                steps.add(step(i));
            }
            return new Workload(List.copyOf(steps));
        }

        private Step step(int number) {
            Set<List<Object>> touched = new HashSet<>();
            List<Change> changes = new ArrayList<>();
            WorkloadTable table = table();
            Verb verb = verb();
            List<String> columns = someColumns(table);
            for (int wanted = 1 + random.nextInt(MOST_CHANGES); changes.size() < wanted; ) {
                if (random.nextInt(3) == 0) {
                    table = table();
                    columns = someColumns(table);
                }
                if (random.nextInt(3) == 0) {
                    verb = verb();
                }
                JsonObject key = key(table);
                boolean exists = rows(table).containsKey(key);
                Verb fitting = fitting(verb, table, exists);
                if (touched.add(List.of(table, key))) {
                    changes.add(change(number, fitting, table, key, columns));
                }
            }
            return new Step(changes);
        }

        private Map<JsonObject, JsonObject> rows(WorkloadTable table) {
            return rows.computeIfAbsent(table, any -> new HashMap<>());
        }

        private WorkloadTable table() {
            return WorkloadTable.ALL.get(random.nextInt(WorkloadTable.ALL.size()));
        }

        private Verb verb() {
            return VERBS.get(random.nextInt(VERBS.size()));
        }

        private Verb fitting(Verb verb, WorkloadTable table, boolean exists) {
            if (!exists && (verb == Verb.UPDATE || verb == Verb.DELETE)) {
                return Verb.INSERT;
            }
            if (exists && (verb == Verb.INSERT || table.valueColumns().isEmpty())) {
                return table.valueColumns().isEmpty() ? Verb.DELETE : Verb.UPDATE;
            }
            return exists && verb == Verb.REPLACE && !replacing ? Verb.UPDATE : verb;
        }

        private List<String> someColumns(WorkloadTable table) {
            return table.valueColumns().stream()
                    .filter(column -> random.nextInt(3) == 0)
                    .toList();
        }

        private JsonObject key(WorkloadTable table) {
            JsonObject key = new JsonObject();
            int number = random.nextInt(KEYS);
            for (String column : table.key()) {
                switch (table.kind(column)) {
                    case INT64 -> key.addProperty(column, Integer.toString(number));
                    case DATE -> key.addProperty(column, "2024-02-%02d".formatted(1 + number % 29));
                    default -> key.addProperty(column, REGIONS[number % REGIONS.length]);
                }
            }
            return key;
        }

        private Change change(int step, Verb verb, WorkloadTable table, JsonObject key, List<String> columns) {
            JsonObject written = key.deepCopy();
            JsonObject before = Optional.ofNullable(rows(table).get(key)).orElseGet(JsonObject::new);
            if (verb == Verb.DELETE) {
                rows(table).remove(key);
                return new Change(verb, table, written, before, new JsonObject());
            }
            List<String> chosen = columns.isEmpty() ? table.valueColumns() : columns;
            chosen.forEach(column -> written.add(column, value(step, table.kind(column))));
            JsonObject kept = verb == Verb.REPLACE ? new JsonObject() : before;
            JsonObject after = new JsonObject();
            for (String column : table.columns().keySet()) {
                after.add(column, written.has(column) ? written.get(column) : kept.get(column));
            }
            rows(table).put(key, after);
            return new Change(verb, table, written, before, after);
        }

        private JsonElement value(int step, ColumnKind kind) {
            return kind == ColumnKind.COMMIT_TIMESTAMP
                    ? new JsonPrimitive(Changes.committedAt(step))
                    : kind.any(random);
        }
    }
}
