package dev.spream.storage.jdbc.mirror;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Mod;
import dev.spream.core.record.TypeCode;
import dev.spream.storage.jdbc.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories of a few keys in batches of random size, so that most are folded, against a map that takes the changes one
 * by one. A table has a column of its own that no change names, which shows whether a row is a new one.
 */
@Timeout(300)
final class RandomHistoryIT {
    private static final int HISTORIES = Integer.getInteger("mirror.histories", 12);
    private static final List<String> COLUMNS = List.of("A", "B", "C");

    /** The expected row at each time, by column and without the key. */
    private final Map<String, Map<String, String>> model = new TreeMap<>();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_folded_history_leaves_what_the_same_changes_leave_one_by_one(boolean columnsAreRequired) throws Exception {
        long first = Long.getLong("mirror.seed", new Random().nextLong());
        try (TestDatabase database = new TestDatabase()) {
            JdbcMirror mirror =
                    JdbcMirror.builder(database.dataSource(), "random").build();
            for (long seed = first; seed < first + HISTORIES; seed++) {
                String notNull = columnsAreRequired ? " NOT NULL" : "";
                database.execute(
                        "DROP TABLE IF EXISTS public.\"T\"",
                        "CREATE TABLE public.\"T\" (\"K1\" bigint, \"K2\" text, \"A\" bigint%s, \"B\" text%s, \"C\" text DEFAULT 'c', own text DEFAULT 'new', PRIMARY KEY (\"K1\", \"K2\"))"
                                .formatted(notNull, notNull));
                model.clear();
                apply(mirror, database, new Random(seed), seed - first);
                assertThat(
                                new MirrorRows(database)
                                        .texts(
                                                "SELECT concat_ws('/', \"K1\", \"K2\", \"A\", \"B\", \"C\", own) FROM \"T\" ORDER BY 1"))
                        .as("-Dmirror.seed=%d", seed)
                        .isEqualTo(expected());
            }
        }
    }

    private void apply(JdbcMirror mirror, TestDatabase database, Random random, long history) throws Exception {
        MirrorChanges table = MirrorChanges.of("T")
                .key("K1", TypeCode.INT64)
                .key("K2", TypeCode.STRING)
                .column("A", TypeCode.INT64)
                .column("B", TypeCode.STRING)
                .column("C", TypeCode.STRING);
        long second = history * 1_000;
        for (int batch = 0; batch < 15; batch++) {
            List<DataChangeRecord> changes = new ArrayList<>();
            int size = 1 + random.nextInt(12);
            for (int i = 0; i < size; i++) {
                changes.add(change(table, random, second++));
            }
            mirror.consume(MirrorBatch.batch(changes.toArray(new DataChangeRecord[0])));
            if (random.nextInt(4) == 0) { // some rows become old ones, whose own column tells them from new ones
                database.execute("UPDATE public.\"T\" SET own = 'old' WHERE \"K1\" = 1");
                model.forEach(
                        (key, row) -> row.computeIfPresent("own", (own, was) -> key.startsWith("1/") ? "old" : was));
            }
        }
    }

    /** One change of one to three rows, which are all there or all absent, as a transaction could have made it. */
    private DataChangeRecord change(MirrorChanges table, Random random, long second) {
        List<String> keys = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            String key = (1 + random.nextInt(2)) + "/" + "xyz".charAt(random.nextInt(3));
            boolean isSameKind = keys.isEmpty() || model.containsKey(keys.getFirst()) == model.containsKey(key);
            if (isSameKind && !keys.contains(key)) {
                keys.add(key);
            }
        }
        String kind = !model.containsKey(keys.getFirst()) ? "INSERT" : random.nextInt(3) == 0 ? "DELETE" : "UPDATE";
        Mod[] mods = keys.stream().map(key -> mod(key, kind, random)).toArray(Mod[]::new);
        return table.change(second, kind, mods);
    }

    private Mod mod(String key, String kind, Random random) {
        Map<String, String> written = new TreeMap<>();
        for (String column : COLUMNS) {
            boolean isNamed =
                    kind.equals("INSERT") ? !column.equals("C") || random.nextBoolean() : random.nextBoolean();
            if (isNamed && !kind.equals("DELETE")) {
                written.put(column, String.valueOf(random.nextInt(1_000)));
            }
        }
        switch (kind) {
            case "DELETE" -> model.remove(key);
            case "INSERT" -> {
                Map<String, String> row = new TreeMap<>(Map.of("C", "c", "own", "new"));
                row.putAll(written);
                model.put(key, row);
            }
            default -> requireNonNull(model.get(key)).putAll(written);
        }
        String[] parts = key.split("/", -1);
        return MirrorChanges.mod("{\"K1\":\"%s\",\"K2\":\"%s\"}".formatted(parts[0], parts[1]), json(written));
    }

    private static String json(Map<String, String> values) {
        List<String> members = new ArrayList<>();
        values.forEach((column, value) -> members.add("\"%s\":\"%s\"".formatted(column, value)));
        return "{" + String.join(",", members) + "}";
    }

    private List<String> expected() {
        List<String> rows = new ArrayList<>();
        model.forEach((key, row) ->
                rows.add(String.join("/", key, row.get("A"), row.get("B"), row.get("C"), row.get("own"))));
        return rows;
    }

    @Test
    void the_model_notices_a_history_that_is_folded_wrongly() {
        Random random = new Random(1);
        MirrorChanges table = MirrorChanges.of("T").key("K1", TypeCode.INT64).key("K2", TypeCode.STRING);
        for (long second = 0; second < 50; second++) {
            change(table, random, second);
        }
        List<String> before = expected();
        change(table, random, 50);
        assertThat(expected()).isNotEqualTo(before);
    }
}
