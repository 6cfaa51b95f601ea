package dev.spream.cli.subscription;

import dev.spream.cli.output.StyledLine;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ChangeRecord;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.HeartbeatRecord;
import dev.spream.core.record.Json;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.PartitionEndRecord;
import dev.spream.core.record.PartitionEventRecord;
import dev.spream.core.record.PartitionStartRecord;
import dev.spream.core.record.TypeCode;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi.Style;

/**
 * Records for people: a line for each row, with the local time of its commit, its table, what was done, its key and its
 * values.
 *
 * @param zone the zone of the times
 * @param styled whether the lines have colours
 * @param width the width of the terminal, to which values and lines are shortened; empty for no terminal
 */
record TextFormat(ZoneId zone, boolean styled, OptionalInt width) implements LineFormat {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS", Locale.ROOT);
    private static final String BETWEEN = "  ";
    private static final int SHORTEST_VALUE = 16;
    private static final int VALUES_IN_A_LINE = 4;
    private static final Mod NO_ROW = new Mod(JsonObject.EMPTY, JsonObject.EMPTY, JsonObject.EMPTY);

    @Override
    public String change(PartitionToken partition, DataChangeRecord change) {
        List<Mod> rows = change.mods().isEmpty() ? List.of(NO_ROW) : change.mods();
        Map<String, TypeCode> types = change.columnTypes().stream()
                .collect(Collectors.toMap(
                        ColumnType::name, column -> column.type().code(), (first, second) -> first));
        return rows.stream().map(row -> row(change, row, types)).collect(Collectors.joining("\n"));
    }

    private String row(DataChangeRecord change, Mod row, Map<String, TypeCode> types) {
        StyledLine line = line(change.commitTimestamp())
                .add(BETWEEN)
                .add(change.tableName(), Style.bold)
                .add(BETWEEN)
                .add(change.modTypeName(), color(change.modType()))
                .add(BETWEEN)
                .add(key(row, types));
        JsonObject values = change.modType() == ModType.DELETE ? row.oldValues() : row.newValues();
        values.members().forEach((column, value) -> value(line.add(BETWEEN), change, row, column, value, types));
        if (!change.transactionTag().isEmpty()) {
            line.add(BETWEEN).add("[" + change.transactionTag() + "]", Style.faint);
        }
        return line.toString();
    }

    private StyledLine line(Instant time) {
        return new StyledLine(styled, width).add(TIME.format(time.atZone(zone)), Style.faint);
    }

    private static Style color(ModType type) {
        return switch (type) {
            case INSERT -> Style.fg_green;
            case UPDATE -> Style.fg_yellow;
            case DELETE -> Style.fg_red;
            case UNKNOWN -> Style.fg_magenta;
        };
    }

    private String key(Mod row, Map<String, TypeCode> types) {
        return row.keys().members().entrySet().stream()
                .map(entry -> entry.getKey() + "=" + text(types.get(entry.getKey()), entry.getValue()))
                .collect(Collectors.joining(","));
    }

    private void value(
            StyledLine line,
            DataChangeRecord change,
            Mod row,
            String column,
            @Nullable Object value,
            Map<String, TypeCode> types) {
        TypeCode type = types.get(column);
        String after = text(type, value);
        line.add(column + ": ");
        if (change.modType() == ModType.UPDATE && row.oldValues().has(column)) {
            String before = text(type, row.oldValues().get(column));
            if (!before.equals(after)) {
                line.add(before, Style.faint).add("→");
            }
        }
        line.add(after);
    }

    private String text(@Nullable TypeCode type, @Nullable Object value) {
        String text =
                switch (value) {
                    case null -> "NULL";
                    case String string -> type == TypeCode.STRING ? Json.text(string) : string;
                    case BigDecimal number -> number.toString();
                    case Object other -> Json.text(other);
                };
        return width.isPresent()
                ? StyledLine.shorten(text, Math.max(SHORTEST_VALUE, width.getAsInt() / VALUES_IN_A_LINE))
                : text;
    }

    @Override
    public String other(PartitionToken partition, ChangeRecord record) {
        if (record instanceof DataChangeRecord change) {
            return change(partition, change);
        }
        return line(record.timestamp())
                .add(BETWEEN + partition.abbreviated() + BETWEEN + said(record), Style.faint)
                .toString();
    }

    private static String said(ChangeRecord record) {
        return switch (record) {
            case DataChangeRecord change -> "changes " + change.tableName();
            case HeartbeatRecord heartbeat -> "heartbeat";
            case ChildPartitionsRecord children ->
                "continues in "
                        + children.childPartitions().stream()
                                .map(TextFormat::child)
                                .collect(Collectors.joining(", "));
            case PartitionStartRecord start -> "starts " + tokens(start.partitionTokens());
            case PartitionEventRecord event -> "keys moved" + moves(event);
            case PartitionEndRecord end -> "ends";
        };
    }

    private static String child(ChildPartition child) {
        return tokens(List.of(child.token()))
                + (child.parentTokens().size() > 1
                        ? " (of %d parents)".formatted(child.parentTokens().size())
                        : "");
    }

    private static String moves(PartitionEventRecord event) {
        return (event.moveInSources().isEmpty() ? "" : " in from " + tokens(event.moveInSources()))
                + (event.moveOutDestinations().isEmpty() ? "" : " out to " + tokens(event.moveOutDestinations()));
    }

    private static String tokens(Collection<String> tokens) {
        return tokens.stream()
                .map(token -> new PartitionToken(token).abbreviated())
                .collect(Collectors.joining(", "));
    }
}
