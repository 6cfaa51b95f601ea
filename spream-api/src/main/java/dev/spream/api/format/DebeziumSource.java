package dev.spream.api.format;

import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.Json;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The source block of Debezium's envelope, with the fields of its connector for Spanner in their order. The two that only
 * the connector knows are null: {@code low_watermark}, as by its default, and {@code read_at_timestamp}.
 *
 * @param stream the change stream
 * @param name the name of the connector
 */
record DebeziumSource(QualifiedStreamName stream, String name) {
    private static final long MICROS = 1_000_000;
    private static final long NANOS = 1_000_000_000;
    private static final int NANOS_OF_MICRO = 1_000;
    private static final int MAX_LONG_DIGITS = 18;

    /** The version of spream in place of the connector's. */
    private static final String VERSION = "spream-"
            + Optional.ofNullable(DebeziumSource.class.getPackage().getImplementationVersion())
                    .orElse("development");

    void append(StringBuilder out, ChangedRow row) {
        DataChangeRecord change = row.change();
        PartitionToken partition = row.delivery().partition();
        Instant time = change.commitTimestamp();
        out.append("{\"version\":");
        Json.append(out, VERSION);
        member(out, "connector", "spanner");
        member(out, "name", name);
        member(out, "ts_ms", time.toEpochMilli());
        member(out, "snapshot", snapshot(partition));
        member(out, "db", stream.database());
        member(out, "sequence", sequence(change.recordSequence()));
        member(out, "ts_us", micros(time));
        member(out, "ts_ns", nanos(time));
        member(out, "project_id", stream.project());
        member(out, "instance_id", stream.instance());
        member(out, "database_id", stream.database());
        member(out, "change_stream_name", stream.stream());
        member(out, "table", change.tableName());
        member(out, "server_transaction_id", change.serverTransactionId());
        member(out, "low_watermark", null);
        member(out, "read_at_timestamp", null);
        member(out, "number_records_in_transaction", change.numberOfRecordsInTransaction());
        member(out, "transaction_tag", change.transactionTag());
        member(out, "system_transaction", change.isSystemTransaction());
        member(out, "value_capture_type", change.valueCaptureTypeName());
        member(out, "partition_token", partition.value());
        member(out, "mod_number", row.index());
        member(out, "is_last_record_in_transaction_in_partition", change.isLastRecordInTransactionInPartition());
        member(out, "number_of_partitions_in_transaction", change.numberOfPartitionsInTransaction());
        out.append('}');
    }

    static void member(StringBuilder out, String name, @Nullable Object value) {
        out.append(",\"").append(name).append("\":");
        Json.append(out, value);
    }

    private static String snapshot(PartitionToken partition) {
        if (partition.isOfAddedSnapshot()) {
            return "incremental";
        }
        return partition.isOfSnapshot() ? "true" : "false";
    }

    /** Returns the sequence as the number that Debezium takes it for. */
    private static String sequence(String recordSequence) {
        boolean isNumber = !recordSequence.isEmpty()
                && recordSequence.length() <= MAX_LONG_DIGITS
                && recordSequence.chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? Long.toString(Long.parseLong(recordSequence)) : recordSequence;
    }

    static long micros(Instant time) {
        return time.getEpochSecond() * MICROS + time.getNano() / NANOS_OF_MICRO;
    }

    static long nanos(Instant time) {
        return time.getEpochSecond() * NANOS + time.getNano();
    }
}
