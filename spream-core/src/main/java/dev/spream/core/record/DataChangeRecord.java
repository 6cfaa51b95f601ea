package dev.spream.core.record;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;

/**
 * Rows of one table that one transaction changed in the same way, as far as they belong to one partition. A transaction
 * may come as several records, over several partitions.
 *
 * @param commitTimestamp when the transaction committed
 * @param recordSequence orders the records of one transaction; opaque, compared as text
 * @param serverTransactionId names the transaction; not the id of the transaction in Spanner's API
 * @param isLastRecordInTransactionInPartition whether the partition has no further record of the transaction
 * @param tableName the table
 * @param columnTypes the columns that the mods mention, primary key included
 * @param mods the changed rows, at least one
 * @param modTypeName the kind of change to the rows, as sent; see {@link #modType()}
 * @param valueCaptureTypeName the kind of captured values, as sent; see {@link #valueCaptureType()}
 * @param numberOfRecordsInTransaction records of the transaction over all partitions
 * @param numberOfPartitionsInTransaction partitions that return records of the transaction
 * @param transactionTag the tag that the writer gave the transaction, or empty
 * @param isSystemTransaction whether Spanner itself changed the rows, such as a row deletion policy
 * @see <a href="https://cloud.google.com/spanner/docs/change-streams/details#data-change-records">Spanner: data change
 *     records</a>
 */
public record DataChangeRecord(
        Instant commitTimestamp,
        String recordSequence,
        String serverTransactionId,
        boolean isLastRecordInTransactionInPartition,
        String tableName,
        List<ColumnType> columnTypes,
        List<Mod> mods,
        String modTypeName,
        String valueCaptureTypeName,
        long numberOfRecordsInTransaction,
        long numberOfPartitionsInTransaction,
        String transactionTag,
        boolean isSystemTransaction)
        implements ChangeRecord {
    public DataChangeRecord {
        requireNonNull(commitTimestamp, "commitTimestamp");
        requireNonNull(recordSequence, "recordSequence");
        requireNonNull(serverTransactionId, "serverTransactionId");
        requireNonNull(tableName, "tableName");
        columnTypes = List.copyOf(columnTypes);
        mods = List.copyOf(mods);
        requireNonNull(modTypeName, "modTypeName");
        requireNonNull(valueCaptureTypeName, "valueCaptureTypeName");
        requireNonNull(transactionTag, "transactionTag");
    }

    /** Returns a change without rows, in the place of one that cannot be decoded. */
    public static DataChangeRecord withoutRows(
            Instant commitTimestamp, String recordSequence, String serverTransactionId, String tableName) {
        return new DataChangeRecord(
                commitTimestamp,
                recordSequence,
                serverTransactionId,
                false,
                tableName,
                List.of(),
                List.of(),
                "",
                "",
                0,
                0,
                "",
                false);
    }

    @Override
    public Instant timestamp() {
        return commitTimestamp;
    }

    public ModType modType() {
        return ModType.of(modTypeName);
    }

    public ValueCaptureType valueCaptureType() {
        return ValueCaptureType.of(valueCaptureTypeName);
    }

    /** Returns the identity of this record, equal when it is delivered again. */
    public RecordIdentity identity() {
        return new RecordIdentity(commitTimestamp, serverTransactionId, recordSequence);
    }

    /** Returns this record with that row alone. */
    public DataChangeRecord withOnly(Mod mod) {
        return mods.size() == 1 ? this : with(columnTypes, List.of(mod));
    }

    /** Returns this record with other columns and rows. */
    public DataChangeRecord with(List<ColumnType> otherTypes, List<Mod> otherMods) {
        return new DataChangeRecord(
                commitTimestamp,
                recordSequence,
                serverTransactionId,
                isLastRecordInTransactionInPartition,
                tableName,
                otherTypes,
                otherMods,
                modTypeName,
                valueCaptureTypeName,
                numberOfRecordsInTransaction,
                numberOfPartitionsInTransaction,
                transactionTag,
                isSystemTransaction);
    }

    /** Returns the record as one line of JSON, in the shape of the documentation's {@code data_change_record}. */
    public String toJson() {
        return ChangeRecordJson.write(this);
    }
}
