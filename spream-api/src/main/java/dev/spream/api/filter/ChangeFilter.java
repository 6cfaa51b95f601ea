package dev.spream.api.filter;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.Consumer;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.ModType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Selects the changes, and the columns of them, that a consumer receives:
 *
 * <pre>{@code
 * ChangeFilter filter = ChangeFilter.builder()
 *         .tables("Orders", "Stock*")
 *         .columns("Orders.Status", "Orders.Total")
 *         .modTypes(ModType.INSERT, ModType.UPDATE)
 *         .build();
 * subscriber.run(filter.before(consumer));
 * }</pre>
 *
 * <p>A change that is filtered out counts as consumed: its watermark advances. The {@linkplain
 * DataChangeRecord#identity() identity} of a change, the counts of its transaction and whether it is the last one of it
 * remain as Spanner sent them, whatever is filtered out.
 *
 * <p>Names are compared as Spanner sends them, in the case in which they were declared, and qualified with a named
 * schema, {@code sales.Orders}. A name that matches no table has no effect and is not reported, since the filter has no
 * access to the schema.
 *
 * <p>Immutable and safe for use by many threads; a filter can be used for several consumers.
 */
public final class ChangeFilter {
    private final List<TablePattern> tables;
    private final Map<String, ColumnChoice> columns;
    private final Set<ModType> modTypes;

    private ChangeFilter(List<TablePattern> tables, Map<String, ColumnChoice> columns, Set<ModType> modTypes) {
        this.tables = tables;
        this.columns = columns;
        this.modTypes = modTypes;
    }

    /** Returns a builder of a filter, which initially passes everything. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns whether the filter passes every change unchanged. */
    public boolean isPassingAll() {
        return tables.isEmpty() && columns.isEmpty() && modTypes.isEmpty();
    }

    /** Returns the part of the change for the consumer; empty if there is none. */
    public Optional<DataChangeRecord> apply(DataChangeRecord change) {
        if (!isTableChosen(change.tableName()) || !isModTypeChosen(change.modType())) {
            return Optional.empty();
        }
        ColumnChoice choice = columns.get(change.tableName());
        return choice == null ? Optional.of(change) : choice.apply(change);
    }

    private boolean isTableChosen(String table) {
        return tables.isEmpty() || tables.stream().anyMatch(pattern -> pattern.matches(table));
    }

    private boolean isModTypeChosen(ModType type) {
        return modTypes.isEmpty() || type == ModType.UNKNOWN || modTypes.contains(type);
    }

    /**
     * Returns a consumer that passes filtered changes on. It takes batches if the given consumer does, delegates
     * flushes, and closes the given consumer when it is closed, if that is closeable.
     */
    public FilteredConsumer before(Consumer consumer) {
        return FilteredConsumer.of(this, requireNonNull(consumer, "consumer"));
    }

    @Override
    public String toString() {
        return "tables %s, columns %s, mod types %s"
                .formatted(
                        tables.isEmpty() ? "all" : tables,
                        columns.isEmpty() ? "all" : columns.values(),
                        modTypes.isEmpty() ? "all" : modTypes);
    }

    /**
     * Builder of a filter. A criterion that is not set passes everything; further calls for one criterion add to it.
     */
    public static final class Builder {
        private final Set<String> tables = new LinkedHashSet<>();
        private final Set<String> columns = new LinkedHashSet<>();
        private final Set<ModType> modTypes = EnumSet.noneOf(ModType.class);

        private Builder() {}

        /** Adds tables whose changes pass: names, in which {@code *} matches any number of characters. */
        public Builder tables(String... names) {
            return tables(List.of(names));
        }

        /** See {@link #tables(String...)}. */
        public Builder tables(List<String> names) {
            tables.addAll(names);
            return this;
        }

        /**
         * Adds columns that pass, as {@code Table.Column}. A table without a column here passes with all columns.
         * Otherwise a change keeps the primary key, the old and new values of these columns, and their types.
         *
         * <p>An updated row is dropped if none of these columns has a new value, and the change with it if no row
         * remains; with a change stream that captures whole rows ({@code NEW_ROW}, {@code NEW_ROW_AND_OLD_VALUES}) each
         * column has a new value every time. Inserted and deleted rows always pass, at least with their keys. If only
         * primary key columns are given, no update passes.
         */
        public Builder columns(String... names) {
            return columns(List.of(names));
        }

        /** See {@link #columns(String...)}. */
        public Builder columns(List<String> names) {
            columns.addAll(names);
            return this;
        }

        /** Adds kinds of change that pass. A kind that is unknown to this version passes always. */
        public Builder modTypes(ModType... types) {
            return modTypes(List.of(types));
        }

        /** See {@link #modTypes(ModType...)}. */
        public Builder modTypes(List<ModType> types) {
            modTypes.addAll(types);
            return this;
        }

        /**
         * Creates the filter.
         *
         * @throws IllegalArgumentException if a name is malformed or contradicts another one; the message lists all of
         *     them
         */
        public ChangeFilter build() {
            List<String> problems = new ArrayList<>();
            List<TablePattern> patterns = new ArrayList<>();
            for (String table : tables) {
                TablePattern.parse(table)
                        .ifPresentOrElse(
                                patterns::add,
                                () -> problems.add(("'%s' is not a table name: write it as declared in Spanner, such as"
                                                + " Orders, sales.Orders or Order*")
                                        .formatted(table)));
            }
            Map<String, ColumnChoice> choices =
                    problems.isEmpty() ? choices(patterns, problems) : choices(List.of(), problems);
            if (modTypes.contains(ModType.UNKNOWN)) {
                problems.add("mod types can be INSERT, UPDATE and DELETE; unknown mod types always pass");
            }
            if (!problems.isEmpty()) {
                throw new IllegalArgumentException(String.join("; ", problems));
            }
            return new ChangeFilter(List.copyOf(patterns), choices, Set.copyOf(modTypes));
        }

        private Map<String, ColumnChoice> choices(List<TablePattern> patterns, List<String> problems) {
            Map<String, Set<String>> byTable = new LinkedHashMap<>();
            for (String column : columns) {
                int dot = column.lastIndexOf('.');
                if (dot < 0 || !TablePattern.isName(column)) {
                    problems.add(
                            "'%s' is not a column name: write Table.Column, such as Orders.Status".formatted(column));
                    continue;
                }
                String table = column.substring(0, dot);
                if (!patterns.isEmpty() && patterns.stream().noneMatch(pattern -> pattern.matches(table))) {
                    problems.add(
                            "column %s belongs to a table that is filtered out: add the table, or remove the column"
                                    .formatted(column));
                }
                byTable.computeIfAbsent(table, name -> new LinkedHashSet<>()).add(column.substring(dot + 1));
            }
            return byTable.entrySet().stream()
                    .collect(Collectors.toUnmodifiableMap(
                            Map.Entry::getKey, entry -> new ColumnChoice(entry.getKey(), entry.getValue())));
        }
    }
}
