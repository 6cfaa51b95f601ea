package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.Commit;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.schema.Table;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntSupplier;

/**
 * Converts a transaction into the records of one stream. Within a partition, consecutive changes are joined in one
 * record as long as table, kind and columns are the same; records are numbered over the whole transaction. Confined to
 * commits, which come one at a time.
 */
final class TransactionRecorder {
    private final StreamDefinition definition;
    private final Map<String, TableLayout> layouts = new HashMap<>();

    TransactionRecorder(StreamDefinition definition) {
        this.definition = definition;
    }

    /** Returns the changes that the stream records. */
    List<RowChange> recorded(Commit commit) {
        boolean excluded = commit.system()
                ? definition.options().excludesTtlDeletes()
                : commit.excludedFromChangeStreams() && definition.options().allowsTransactionExclusion();
        if (excluded) {
            return List.of();
        }
        return commit.changes().stream().filter(this::isRecorded).toList();
    }

    private boolean isRecorded(RowChange change) {
        return !definition.options().excludes(change.kind())
                && layout(change.table())
                        .filter(layout -> layout.concerns(change))
                        .isPresent();
    }

    /** A record under construction. */
    private record Draft(
            int sequence, TableLayout layout, RowChange.Kind kind, List<Column> listed, List<RowChange> changes) {
        boolean takes(TableLayout otherLayout, RowChange change, List<Column> otherListed) {
            return layout.equals(otherLayout) && kind == change.kind() && listed.equals(otherListed);
        }
    }

    /** The records of one transaction under construction, by partition. */
    final class Transaction<P> {
        private final IntSupplier sequences;
        private final Map<P, List<Draft>> drafts = new LinkedHashMap<>();

        /** @param sequences returns the sequence of the next record */
        Transaction(IntSupplier sequences) {
            this.sequences = sequences;
        }

        /** Adds changes; they do not share records with those of an earlier call. */
        void add(List<RowChange> changes, Function<RowChange, P> partitionOf) {
            Map<P, Draft> last = new HashMap<>();
            for (RowChange change : changes) {
                P partition = partitionOf.apply(change);
                TableLayout layout = layout(change.table()).orElseThrow();
                List<Column> listed =
                        layout.columns(definition.options().valueCapture().listed(change.kind()), change);
                Draft draft = last.get(partition);
                if (draft == null || !draft.takes(layout, change, listed)) {
                    draft = new Draft(sequences.getAsInt(), layout, change.kind(), listed, new ArrayList<>());
                    drafts.computeIfAbsent(partition, each -> new ArrayList<>()).add(draft);
                    last.put(partition, draft);
                }
                draft.changes().add(change);
            }
        }

        /** Returns the records for each partition, in order. */
        Map<P, List<DataRecord>> records(Commit commit, String id) {
            int records = drafts.values().stream().mapToInt(List::size).sum();
            DataRecord.Transaction transaction = new DataRecord.Transaction(
                    commit.timestamp(),
                    id,
                    commit.transactionTag(),
                    commit.system(),
                    definition.options().valueCapture(),
                    records,
                    drafts.size());
            Map<P, List<DataRecord>> result = new LinkedHashMap<>();
            drafts.forEach((partition, list) -> result.put(partition, finished(transaction, list)));
            return result;
        }
    }

    private static List<DataRecord> finished(DataRecord.Transaction transaction, List<Draft> drafts) {
        List<DataRecord> records = new ArrayList<>();
        for (Draft draft : drafts) {
            records.add(new DataRecord(
                    transaction,
                    draft.sequence(),
                    draft.sequence() == drafts.getLast().sequence(),
                    draft.layout(),
                    draft.kind(),
                    draft.layout().withKeys(draft.listed()),
                    List.copyOf(draft.changes())));
        }
        return records;
    }

    /** Returns the layout, empty if the table is not watched. It is cached until the table's definition changes. */
    private Optional<TableLayout> layout(Table table) {
        TableLayout known = layouts.get(table.name());
        if (known != null && known.table().equals(table)) {
            return Optional.of(known);
        }
        Optional<TableLayout> layout = definition.watchedColumns(table).map(watched -> TableLayout.of(table, watched));
        layout.ifPresent(found -> layouts.put(table.name(), found));
        return layout;
    }
}
