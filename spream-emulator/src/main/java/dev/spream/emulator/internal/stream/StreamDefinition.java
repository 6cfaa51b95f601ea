package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.PartitionMode;
import dev.spream.emulator.internal.streamsql.WatchSpec;
import dev.spream.emulator.internal.streamsql.WatchSpec.TableWatch;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A change stream as its DDL declares it: its name, scope and options.
 *
 * @param name as declared
 * @param watched the watched tables and columns, in the spelling of the schema
 */
public record StreamDefinition(String name, WatchSpec watched, StreamOptions options) {
    private static final String DEFAULT_PLACEMENT = "_default";

    StreamDefinition watching(WatchSpec other) {
        return new StreamDefinition(name, other, options);
    }

    StreamDefinition with(StreamOptions other) {
        return new StreamDefinition(name, watched, other);
    }

    /**
     * Returns the watched columns of a table, in declared order; empty if the table is not watched. Its key is not among
     * them, nor are generated columns.
     */
    Optional<List<Column>> watchedColumns(Table table) {
        if (watched.all()) {
            return Optional.of(writtenColumnsBesideKey(table));
        }
        return watch(table.name())
                .map(watch -> writtenColumnsBesideKey(table).stream()
                        .filter(column -> watch.wholeTable() || watch.columns().contains(column.name()))
                        .toList());
    }

    private Optional<TableWatch> watch(String table) {
        return watched.tables().stream()
                .filter(watch -> watch.table().equals(table))
                .findFirst();
    }

    private static List<Column> writtenColumnsBesideKey(Table table) {
        return table.columns().stream()
                .filter(column -> !column.generated() && !table.primaryKey().contains(column.name()))
                .toList();
    }

    /** Returns whether the stream names the column, or the table if the column is empty. */
    boolean names(Dialect dialect, String table, String column) {
        return watched.tables().stream()
                .filter(watch -> dialect.sameName(watch.table(), table))
                .anyMatch(watch ->
                        column.isEmpty() || watch.columns().stream().anyMatch(name -> dialect.sameName(name, column)));
    }

    PartitionMode partitionMode() {
        return options.partitionMode();
    }

    /** Returns the name of the function that reads this stream. */
    String readFunction(Dialect dialect) {
        return dialect.readFunction(name, partitionMode());
    }

    boolean isReadBy(String function, Dialect dialect) {
        return dialect.sameName(readFunction(dialect), function) || isOfPlacement(function, dialect);
    }

    /**
     * Returns whether the function is the one of a placement of this stream. The only placement is {@code default}, with
     * all rows.
     */
    boolean isOfPlacement(String function, Dialect dialect) {
        return options.hasFunctionPerPlacement()
                && dialect.sameName(readFunction(dialect) + DEFAULT_PLACEMENT, function);
    }

    /** Returns the statement that creates this stream. */
    String ddl(Dialect dialect) {
        return "CREATE CHANGE STREAM " + quoted(dialect, name) + forClause(dialect) + optionsClause(dialect);
    }

    private String forClause(Dialect dialect) {
        if (watched.all()) {
            return " FOR ALL";
        }
        if (watched.tables().isEmpty()) {
            return "";
        }
        return watched.tables().stream()
                .map(watch -> quoted(dialect, watch.table()) + (watch.wholeTable() ? "" : columnList(dialect, watch)))
                .collect(Collectors.joining(", ", " FOR ", ""));
    }

    private static String columnList(Dialect dialect, TableWatch watch) {
        return watch.columns().stream()
                .map(column -> quoted(dialect, column))
                .collect(Collectors.joining(", ", "(", ")"));
    }

    private String optionsClause(Dialect dialect) {
        Map<String, String> declared = options.declared();
        if (declared.isEmpty()) {
            return "";
        }
        return declared.entrySet().stream()
                .map(option -> option.getKey() + " = "
                        + (StreamOptions.isFlag(option.getKey()) ? option.getValue() : "'" + option.getValue() + "'"))
                .collect(Collectors.joining(", ", dialect == Dialect.POSTGRESQL ? " WITH (" : " OPTIONS (", ")"));
    }

    private static String quoted(Dialect dialect, String name) {
        boolean plain = name.chars().allMatch(c -> c == '_' || c == '.' || Character.isLetterOrDigit(c));
        boolean needsNoQuotes = plain && !name.equalsIgnoreCase("ALL") && name.equals(dialect.fold(name));
        return needsNoQuotes ? name : dialect.quote() + name + dialect.quote();
    }
}
