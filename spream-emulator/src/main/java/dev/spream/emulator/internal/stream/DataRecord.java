package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.schema.Column;
import dev.spream.emulator.internal.schema.RowChange;
import dev.spream.emulator.internal.schema.RowChange.Kind;
import java.time.Instant;
import java.util.List;

/**
 * A data change record.
 *
 * @param transaction the attributes that all records of the transaction share
 * @param sequence its number in the transaction, over all partitions; with mutable key ranges, among all records of the
 * stream at the same timestamp
 * @param lastInPartition whether no later record of the transaction is in the same partition
 * @param layout the table and its watched columns
 * @param columns the columns whose types it lists, key columns included, in declared order
 * @param changes its rows, all of one kind of change
 */
record DataRecord(
        Transaction transaction,
        int sequence,
        boolean lastInPartition,
        TableLayout layout,
        Kind kind,
        List<Column> columns,
        List<RowChange> changes)
        implements StreamRecord {

    /**
     * The transaction of a record, as one stream records it.
     *
     * @param id unique, and ordered as text in the commit order of the database
     * @param system whether Spanner itself made it
     */
    record Transaction(
            Instant commitTimestamp,
            String id,
            String tag,
            boolean system,
            ValueCapture valueCapture,
            int records,
            int partitions) {}

    @Override
    public Instant timestamp() {
        return transaction.commitTimestamp();
    }

    /** Returns the columns of which a row of this record has new values. */
    List<Column> newColumns(RowChange change) {
        return layout.columns(transaction.valueCapture().newValues(kind), change);
    }

    /** Returns the columns of which a row of this record has old values. */
    List<Column> oldColumns(RowChange change) {
        return layout.columns(transaction.valueCapture().oldValues(kind), change);
    }
}
