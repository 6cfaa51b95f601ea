package dev.spream.interop;

import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Struct;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A metadata table as Beam left it: its statements and rows. Each is kept in the build directory, a file of DDL and one of
 * tab-separated values, to be copied to the tests that restore it without Beam.
 */
record BeamRecord(List<String> ddl, List<Struct> rows) {
    private static final List<String> COLUMNS = List.of(
            "PartitionToken",
            "ParentTokens",
            "StartTimestamp",
            "EndTimestamp",
            "HeartbeatMillis",
            "State",
            "Watermark",
            "CreatedAt",
            "ScheduledAt",
            "RunningAt",
            "FinishedAt");

    static BeamRecord of(AccountStream stream, String table) throws IOException {
        BeamRecord record = new BeamRecord(ddl(stream, table), rows(stream, table));
        Path folder = Files.createDirectories(Path.of(System.getProperty("beam.records")));
        Files.writeString(
                folder.resolve(stream.label() + ".ddl"),
                record.ddl.stream().map(statement -> statement + ";\n").collect(Collectors.joining()));
        Files.writeString(folder.resolve(stream.label() + ".tsv"), record.table());
        return record;
    }

    private static List<String> ddl(AccountStream stream, String table) {
        var database = stream.database();
        return stream
                .connection()
                .spanner()
                .getDatabaseAdminClient()
                .getDatabaseDdl(database.instance(), database.database())
                .stream()
                .filter(statement -> statement.contains(table))
                .toList();
    }

    private static List<Struct> rows(AccountStream stream, String table) {
        List<Struct> rows = new ArrayList<>();
        try (ResultSet results = stream.connection().client().singleUse().read(table, KeySet.all(), COLUMNS)) {
            while (results.next()) {
                rows.add(results.getCurrentRowAsStruct());
            }
        }
        return rows;
    }

    int size() {
        return rows.size();
    }

    /** Returns the number of partitions by state. */
    Map<String, Long> summary() {
        return rows.stream()
                .collect(Collectors.groupingBy(row -> row.getString("State"), TreeMap::new, Collectors.counting()));
    }

    private String table() {
        StringBuilder text = new StringBuilder(String.join("\t", COLUMNS)).append('\n');
        for (Struct row : rows) {
            text.append(COLUMNS.stream().map(column -> value(row, column)).collect(Collectors.joining("\t")))
                    .append('\n');
        }
        return text.toString();
    }

    /** Lists are joined by commas, which tokens do not contain; {@code \N} is NULL. */
    private static String value(Struct row, String column) {
        if (row.isNull(column)) {
            return "\\N";
        }
        return switch (row.getColumnType(column).getCode()) {
            case ARRAY -> String.join(",", row.getStringList(column));
            case INT64 -> Long.toString(row.getLong(column));
            case TIMESTAMP -> row.getTimestamp(column).toString();
            default -> row.getString(column);
        };
    }
}
