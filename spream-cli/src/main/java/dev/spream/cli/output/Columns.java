package dev.spream.cli.output;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/** Formats text in columns. */
public final class Columns {
    private static final String BETWEEN = "  ";

    private Columns() {}

    /** Returns a header line and a line for each item; nothing without items. */
    public static <T> List<String> table(List<String> head, Collection<T> items, Function<T, List<String>> row) {
        List<List<String>> rows = new ArrayList<>();
        items.forEach(item -> rows.add(row.apply(item)));
        if (!rows.isEmpty()) {
            rows.addFirst(head);
        }
        return align(rows);
    }

    /** Returns the rows as lines, each column as wide as its widest cell. */
    public static List<String> align(List<List<String>> rows) {
        int[] widths = new int[rows.isEmpty() ? 0 : rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return rows.stream().map(row -> line(row, widths)).toList();
    }

    private static String line(List<String> row, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length()).append(BETWEEN);
        }
        return line.toString().stripTrailing();
    }
}
