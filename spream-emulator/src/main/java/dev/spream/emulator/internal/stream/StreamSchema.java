package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.Table;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.streamsql.StreamStatement;
import dev.spream.emulator.internal.streamsql.WatchSpec;
import dev.spream.emulator.internal.streamsql.WatchSpec.TableWatch;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks statements about streams against the schema, and returns the resulting definition.
 *
 * @param tables the tables of the database, by name
 * @param streams the existing streams
 * @see <a href="https://cloud.google.com/spanner/quotas#change-streams">limits</a>
 */
record StreamSchema(Dialect dialect, Map<String, Table> tables, List<StreamDefinition> streams) {
    private static final int MAX_STREAMS = 10;
    private static final int MAX_STREAMS_OF_ONE_THING = 3;

    StreamDefinition created(StreamStatement.Create create) {
        String name = create.stream();
        boolean taken = find(name).isPresent() || table(name).isPresent();
        if (taken) {
            throw Errors.failedPrecondition("Duplicate name in schema: " + name + ".");
        }
        if (streams.size() >= MAX_STREAMS) {
            throw Errors.failedPrecondition("Cannot add Change Stream " + name
                    + " : because the maximum number of Change Streams per Database (limit " + MAX_STREAMS
                    + ") has been reached.");
        }
        StreamOptions options = StreamOptions.none().with(create.options());
        return new StreamDefinition(name, checked(name, create.watched()), options);
    }

    StreamDefinition altered(StreamStatement.SetFor setFor) {
        StreamDefinition existing = existing(setFor.stream());
        return existing.watching(checked(existing.name(), setFor.watched()));
    }

    StreamDefinition altered(StreamStatement.DropForAll dropForAll) {
        StreamDefinition existing = existing(dropForAll.stream());
        if (existing.watched().equals(WatchSpec.NOTHING)) {
            throw Errors.failedPrecondition(
                    "The ALTER CHANGE STREAM DROP FOR clause cannot be applied on Change Stream " + existing.name()
                            + ", because it does not have a FOR clause and it does not track any database object.");
        }
        return existing.watching(WatchSpec.NOTHING);
    }

    StreamDefinition altered(StreamStatement.SetOptions setOptions) {
        StreamDefinition existing = existing(setOptions.stream());
        if (setOptions.options().containsKey("partition_mode")) {
            throw Errors.failedPrecondition("Change Stream " + existing.name() + ": partition_mode cannot be altered.");
        }
        return existing.with(existing.options().with(setOptions.options()));
    }

    StreamDefinition existing(String name) {
        return find(name).orElseThrow(() -> StreamErrors.streamNotFound(name));
    }

    private Optional<StreamDefinition> find(String name) {
        return streams.stream()
                .filter(stream -> dialect.sameName(stream.name(), name))
                .findFirst();
    }

    /** Returns the same specification in the spelling of the schema. */
    private WatchSpec checked(String stream, WatchSpec watched) {
        Set<String> seen = new HashSet<>();
        List<TableWatch> checked = new ArrayList<>();
        for (TableWatch watch : watched.tables()) {
            Table table = table(watch.table())
                    .orElseThrow(
                            () -> Errors.failedPrecondition("Change Stream " + stream + " cannot track " + watch.table()
                                    + " because either Change Streams do not track database objects of this type, or this Table"
                                    + " does not exist."));
            if (!seen.add(table.name())) {
                throw Errors.failedPrecondition("Change Stream " + stream + " should not list Table " + table.name()
                        + " more than once in the FOR clause.");
            }
            checkLimit(stream, table);
            checked.add(new TableWatch(table.name(), watch.wholeTable(), columns(stream, table, watch.columns())));
        }
        return new WatchSpec(watched.all(), checked);
    }

    private void checkLimit(String stream, Table table) {
        long others = streams.stream()
                .filter(other -> !dialect.sameName(other.name(), stream))
                .filter(other -> other.watchedColumns(table).isPresent())
                .count();
        if (others >= MAX_STREAMS_OF_ONE_THING) {
            throw Errors.failedPrecondition("Failed to create or alter Change Stream " + stream
                    + " : because it is not allowed to have more than " + MAX_STREAMS_OF_ONE_THING
                    + " Change Streams tracking the same table or non-key column or ALL: " + table.name() + ".");
        }
    }

    private List<String> columns(String stream, Table table, List<String> names) {
        List<String> columns = new ArrayList<>();
        for (String name : names) {
            Column declared = table.columns().stream()
                    .filter(candidate -> dialect.sameName(candidate.name(), name))
                    .findFirst()
                    .orElseThrow(() -> Errors.failedPrecondition("Change Stream " + stream + " cannot track column "
                            + name + " because it does not exist in Table " + table.name() + "."));
            String column = declared.name();
            if (table.primaryKey().contains(column)) {
                throw Errors.failedPrecondition("The FOR clause of Change Stream " + stream
                        + " should not list the primary key column " + column + " of Table " + table.name()
                        + ". Please list non-key columns only, because primary key columns are always tracked if the"
                        + " table is tracked.");
            }
            if (declared.generated()) {
                throw Errors.failedPrecondition("Change Stream " + stream
                        + " does not support tracking non-key generated column " + table.name() + "." + column + ".");
            }
            if (columns.contains(column)) {
                throw Errors.failedPrecondition("Change Stream " + stream + " should not list Column " + column
                        + " of Table " + table.name() + " more than once in the FOR clause.");
            }
            columns.add(column);
        }
        return columns;
    }

    private Optional<Table> table(String name) {
        return tables.values().stream()
                .filter(table -> dialect.sameName(table.name(), name))
                .findFirst();
    }
}
