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

    /** A record under construction. */
    private record Draft(
            int sequence, TableLayout layout, RowChange.Kind kind, List<Column> listed, List<RowChange> changes) {
        boolean takes(TableLayout otherLayout, RowChange change, List<Column> otherListed) {
            return layout.equals(otherLayout) && kind == change.kind() && listed.equals(otherListed);
        }
    }

    /** Returns the records for each partition, in order; {@code partitionOf} maps a change to its partition. */
    <P> Map<P, List<DataRecord>> records(Commit commit, String id, Function<RowChange, P> partitionOf) {
        if (commit.excludedFromChangeStreams() && definition.options().allowsTransactionExclusion()) {
            return Map.of();
        }
        Map<P, List<Draft>> drafts = drafts(commit, partitionOf);
        int records = drafts.values().stream().mapToInt(List::size).sum();
        DataRecord.Transaction transaction = new DataRecord.Transaction(
                commit.timestamp(),
                id,
                commit.transactionTag(),
                definition.options().valueCapture(),
                records,
                drafts.size());
        Map<P, List<DataRecord>> result = new LinkedHashMap<>();
        drafts.forEach((partition, list) -> result.put(partition, finished(transaction, list)));
        return result;
    }

    private <P> Map<P, List<Draft>> drafts(Commit commit, Function<RowChange, P> partitionOf) {
        Map<P, List<Draft>> drafts = new LinkedHashMap<>();
        int sequence = 0;
        for (RowChange change : commit.changes()) {
            Optional<TableLayout> layout = layout(change.table());
            if (layout.isEmpty()
                    || definition.options().excludes(change.kind())
                    || !layout.get().concerns(change)) {
                continue;
            }
            List<Draft> inPartition = drafts.computeIfAbsent(partitionOf.apply(change), partition -> new ArrayList<>());
            if (join(inPartition, layout.get(), change, sequence)) {
                sequence++;
            }
        }
        return drafts;
    }

    /** Adds the change to the partition's last record, or to a new one with that number; returns whether it is new. */
    private boolean join(List<Draft> inPartition, TableLayout layout, RowChange change, int sequence) {
        List<Column> listed = layout.columns(definition.options().valueCapture().listed(change.kind()), change);
        if (!inPartition.isEmpty() && inPartition.getLast().takes(layout, change, listed)) {
            inPartition.getLast().changes().add(change);
            return false;
        }
        inPartition.add(new Draft(sequence, layout, change.kind(), listed, new ArrayList<>(List.of(change))));
        return true;
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
