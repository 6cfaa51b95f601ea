package dev.spream.storage.jdbc.rollup;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The table of a rollup, and its statements. */
record RollupTable<E>(String name, List<KeyColumn<E>> keys, List<TotalColumn<E>> totals) {
    RollupTable {
        keys = List.copyOf(keys);
        totals = List.copyOf(totals);
    }

    Rollup.Row row(E entry) {
        String[] values = new String[keys.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = keys.get(i).text().apply(entry);
        }
        long[] numbers = new long[totals.size()];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = totals.get(i).value().applyAsLong(entry);
        }
        return new Rollup.Row(values, numbers);
    }

    /** Adds another row with the same keys. */
    void merge(Rollup.Row row, Rollup.Row other) {
        for (int i = 0; i < totals.size(); i++) {
            row.totals()[i] = totals.get(i).total().of(row.totals()[i], other.totals()[i]);
        }
    }

    String create() {
        String columns = Stream.concat(
                        keys.stream().map(KeyColumn::definition), totals.stream().map(TotalColumn::definition))
                .collect(Collectors.joining(", "));
        return "CREATE TABLE IF NOT EXISTS \"%s\" (%s, PRIMARY KEY (%s))".formatted(name, columns, keyNames());
    }

    /** Returns the statement that adds rows, an array for each column, to the stored ones, in the order of the arrays. */
    String add() {
        String arrays = Stream.concat(
                        keys.stream().map(key -> "?::text[]"), totals.stream().map(total -> "?::bigint[]"))
                .collect(Collectors.joining(", "));
        String values = IntStream.range(0, keys.size() + totals.size())
                .mapToObj(i -> i < keys.size() ? "a.c%d::%s".formatted(i, keys.get(i).type()) : "a.c" + i)
                .collect(Collectors.joining(", "));
        String places = IntStream.range(0, keys.size() + totals.size())
                .mapToObj(i -> "c" + i)
                .collect(Collectors.joining(", "));
        return """
                INSERT INTO "%s" AS t (%s, %s)
                SELECT %s FROM unnest(%s) WITH ORDINALITY AS a (%s, place) ORDER BY a.place
                ON CONFLICT (%s) DO UPDATE SET %s""".formatted(
                        name,
                        keyNames(),
                        quoted(totals.stream().map(TotalColumn::name)),
                        values,
                        arrays,
                        places,
                        keyNames(),
                        totals.stream().map(TotalColumn::update).collect(Collectors.joining(", ")));
    }

    private String keyNames() {
        return quoted(keys.stream().map(KeyColumn::name));
    }

    private static String quoted(Stream<String> names) {
        return names.map(name -> '"' + name + '"').collect(Collectors.joining(", "));
    }
}
