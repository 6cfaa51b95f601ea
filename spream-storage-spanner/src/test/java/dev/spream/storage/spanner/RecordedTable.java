package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A metadata table that Apache Beam made and left when it was killed: the statements by which the server described it, and
 * its rows. {@code beam/README.md} in the resources says how it was recorded.
 *
 * @param ddl the statements, which name the table {@code BeamMetadata}
 * @param rows by column; values that are NULL are absent
 */
record RecordedTable(List<String> ddl, List<Map<String, String>> rows) {
    private static final String NAME = "BeamMetadata";
    private static final String NULL = "\\N";
    private static final List<String> TIMES = List.of(
            "StartTimestamp", "EndTimestamp", "Watermark", "CreatedAt", "ScheduledAt", "RunningAt", "FinishedAt");

    static RecordedTable of(Dialect dialect) throws IOException {
        String name = "beam/" + (dialect == Dialect.POSTGRESQL ? "postgresql" : "googlesql");
        List<String> ddl = Arrays.stream(read(name + ".ddl").split(";\n"))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
        List<String> lines = read(name + ".tsv").lines().toList();
        List<String> columns = List.of(lines.getFirst().split("\t", -1));
        List<Map<String, String>> rows = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] values = line.split("\t", -1);
            Map<String, String> row = new HashMap<>();
            for (int i = 0; i < values.length; i++) {
                if (!values[i].equals(NULL)) {
                    row.put(columns.get(i), values[i]);
                }
            }
            rows.add(row);
        }
        return new RecordedTable(ddl, rows);
    }

    private static String read(String resource) throws IOException {
        try (InputStream in = requireNonNull(RecordedTable.class.getResourceAsStream("/" + resource), resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The statements for a table of another name. */
    List<String> ddl(String table) {
        return ddl.stream()
                .map(statement ->
                        statement.replaceAll("Idx_\\w+", "Idx_" + table).replace(NAME, table))
                .toList();
    }

    /** The same an hour ago: servers take no commit timestamp of the future, and ours is not that of the recording. */
    RecordedTable anHourBefore(Instant now) {
        Instant last = rows.stream()
                .flatMap(row -> TIMES.stream().flatMap(column -> time(row, column).stream()))
                .filter(RecordedTable::isTime)
                .max(Instant::compareTo)
                .orElseThrow();
        // Whole milliseconds, which Beam's watermarks are cut to.
        Duration shift = Duration.between(last, now).minusHours(1).truncatedTo(ChronoUnit.MILLIS);
        return new RecordedTable(
                ddl, rows.stream().map(row -> shifted(row, shift)).toList());
    }

    private static Map<String, String> shifted(Map<String, String> row, Duration shift) {
        Map<String, String> shifted = new HashMap<>(row);
        for (String column : TIMES) {
            time(row, column)
                    .filter(RecordedTable::isTime)
                    .ifPresent(time -> shifted.put(column, time.plus(shift).toString()));
        }
        return shifted;
    }

    private static boolean isTime(Instant instant) {
        return instant.isBefore(ForeignTable.BEAMS_NEVER);
    }

    private static Optional<Instant> time(Map<String, String> row, String column) {
        return Optional.ofNullable(row.get(column)).map(Instant::parse);
    }

    static Instant time(Map<String, String> row, MetadataColumn column) {
        return Instant.parse(value(row, column));
    }

    static String value(Map<String, String> row, MetadataColumn column) {
        return requireNonNull(row.get(column.columnName), column.columnName);
    }

    static List<String> parents(Map<String, String> row) {
        return Optional.ofNullable(row.get("ParentTokens"))
                .filter(parents -> !parents.isEmpty())
                .map(parents -> List.of(parents.split(",")))
                .orElse(List.of());
    }

    List<Mutation> inserts(String table) {
        return rows.stream().map(row -> insert(table, row)).toList();
    }

    private static Mutation insert(String table, Map<String, String> row) {
        Mutation.WriteBuilder insert = Mutation.newInsertBuilder(table);
        row.forEach((column, value) -> {
            if (TIMES.contains(column)) {
                insert.set(column).to(Timestamp.parseTimestamp(value));
            } else if (column.equals("HeartbeatMillis")) {
                insert.set(column).to(Long.parseLong(value));
            } else if (column.equals("ParentTokens")) {
                insert.set(column).toStringArray(parents(row));
            } else {
                insert.set(column).to(value);
            }
        });
        return insert.build();
    }
}
