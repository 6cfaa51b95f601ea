package dev.spream.cli;

import java.util.List;

/** Text in columns. */
final class Columns {
    private static final String BETWEEN = "  ";

    private Columns() {}

    /** The rows as lines, each column as wide as its widest cell. */
    static List<String> align(List<List<String>> rows) {
        int[] widths = new int[rows.getFirst().size()];
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
