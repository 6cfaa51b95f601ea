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
 * Decides which changes a consumer sees, and how much of them:
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
 * <p>A change that is left out counts as consumed: its watermark advances. What a change is, its {@linkplain
 * DataChangeRecord#identity() identity}, the counts of its transaction and whether it is the last one of it, stays as
 * Spanner sent it, whatever is left of it and of the others.
 *
 * <p>Names are compared as Spanner sends them, in the case in which they were declared; tables in a named schema with it,
 * {@code sales.Orders}. A name that no table has filters without a word: nothing here can ask the database.
 *
 * <p>Immutable and safe for use by many threads; a filter can stand before several consumers.
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

    /** Starts with a filter that lets everything through. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns whether nothing was chosen, and every change passes as it is. */
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
     * A consumer that hands on what passes. It takes batches if the one behind it does, makes its effects durable when it
     * is told to, and closes it, if it can be closed, when it is closed.
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

    /** Collects what is to pass. Each kind that is never named passes all; naming more of a kind lets more through. */
    public static final class Builder {
        private final Set<String> tables = new LinkedHashSet<>();
        private final Set<String> columns = new LinkedHashSet<>();
        private final Set<ModType> modTypes = EnumSet.noneOf(ModType.class);

        private Builder() {}

        /** Tables whose changes pass: names, in which {@code *} stands for any characters or none. */
        public Builder tables(String... names) {
            return tables(List.of(names));
        }

        /** See {@link #tables(String...)}. */
        public Builder tables(List<String> names) {
            tables.addAll(names);
            return this;
        }

        /**
         * Columns of which a change tells, as {@code Table.Column}. A table of which no column is named is told of in full.
         * Of the others, a change keeps the primary key, the values of these columns, old and new, and their types.
         *
         * <p>A row that was updated is left out if none of these columns has a new value, and the change with it if no row
         * stays; with a change stream that captures whole rows ({@code NEW_ROW}, {@code NEW_ROW_AND_OLD_VALUES}) they all have one
         * each time. Rows that were inserted or deleted stay, if only with their keys. Where only columns of the primary key
         * are named, no update passes.
         */
        public Builder columns(String... names) {
            return columns(List.of(names));
        }

        /** See {@link #columns(String...)}. */
        public Builder columns(List<String> names) {
            columns.addAll(names);
            return this;
        }

        /**
         * Kinds of change that pass. One that this version does not know passes in any case: what it is, only the consumer can
         * say.
         */
        public Builder modTypes(ModType... types) {
            return modTypes(List.of(types));
        }

        /** See {@link #modTypes(ModType...)}. */
        public Builder modTypes(List<ModType> types) {
            modTypes.addAll(types);
            return this;
        }

        /**
         * The filter.
         *
         * @throws IllegalArgumentException if a name is not of its form, or contradicts another one; the message has them all
         */
        public ChangeFilter build() {
            List<String> problems = new ArrayList<>();
            List<TablePattern> patterns = new ArrayList<>();
            for (String table : tables) {
                TablePattern.parse(table)
                        .ifPresentOrElse(
                                patterns::add,
                                () -> problems.add(
                                        "'%s' is no name of a table: write it as Spanner does, such as Orders, sales.Orders or Order*"
                                                .formatted(table)));
            }
            Map<String, ColumnChoice> choices =
                    problems.isEmpty() ? choices(patterns, problems) : choices(List.of(), problems);
            if (modTypes.contains(ModType.UNKNOWN)) {
                problems.add("mod types can be INSERT, UPDATE and DELETE; one that is not known passes anyway");
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
                    problems.add("'%s' is no column of a table: write Table.Column, such as Orders.Status"
                            .formatted(column));
                    continue;
                }
                String table = column.substring(0, dot);
                if (!patterns.isEmpty() && patterns.stream().noneMatch(pattern -> pattern.matches(table))) {
                    problems.add(
                            "column %s is of a table that does not pass: name the table too, or leave the column out"
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
