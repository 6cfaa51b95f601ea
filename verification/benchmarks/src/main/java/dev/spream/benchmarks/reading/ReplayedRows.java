package dev.spream.benchmarks.reading;

import com.google.protobuf.ByteString;
import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.PartialResultSet;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * Rows of change stream queries, encoded once: the given number of transactions of one record each, a microsecond
 * apart, over a thousand keys. Immutable; the arrays must not be written to.
 */
final class ReplayedRows {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    /** A time after every row, and long past. */
    static final Instant END = START.plus(1, ChronoUnit.HOURS);

    private static final int KEYS = 1_000;

    private final RecordedRow recorded;
    private final byte[] metadata;
    private final byte[][] rows;

    private ReplayedRows(RecordedRow recorded, byte[] metadata, byte[][] rows) {
        this.recorded = recorded;
        this.metadata = metadata;
        this.rows = rows;
    }

    static ReplayedRows encode(RecordedRow recorded, int count) {
        byte[] metadata = PartialResultSet.newBuilder()
                .setMetadata(recorded.data().getMetadata())
                .build()
                .toByteArray();
        byte[][] rows = new byte[count][];
        for (int i = 0; i < count; i++) {
            rows[i] = row(recorded.data().getValues(0), i).toByteArray();
        }
        return new ReplayedRows(recorded, metadata, rows);
    }

    private static PartialResultSet row(Value changeRecords, int index) {
        Value.Builder row = changeRecords.toBuilder();
        ListValue.Builder data = list(list(list(row, 0), 0), 0);
        data.setValues(
                0, RecordedRow.string(START.plus(index, ChronoUnit.MICROS).toString()));
        data.setValues(2, RecordedRow.string(Integer.toUnsignedString(index * 0x9E3779B1)));
        ListValue.Builder mod = list(list(data, 6), 0);
        mod.setValues(0, RecordedRow.string("{\"OrderId\":\"" + index % KEYS + "\"}"));
        return PartialResultSet.newBuilder()
                .addValues(row)
                .setResumeToken(resumeToken(index))
                .build();
    }

    private static ListValue.Builder list(Value.Builder value, int index) {
        return list(value.getListValueBuilder(), index);
    }

    private static ListValue.Builder list(ListValue.Builder values, int index) {
        return values.getValuesBuilder(index).getListValueBuilder();
    }

    /** Returns a resume token, which Spanner sends with each row; without it, the client buffers rows. */
    private static ByteString resumeToken(int index) {
        return ByteString.copyFromUtf8("resume-%08d".formatted(index));
    }

    int count() {
        return rows.length;
    }

    /**
     * Returns the part of a query's first message other than its row: two concatenated messages are merged by the
     * decoder.
     */
    byte[] metadata() {
        return metadata;
    }

    byte[] row(int index) {
        return rows[index];
    }

    /** Returns the first row of a query from that time on. */
    static int firstFrom(Instant start) {
        long nanos = ChronoUnit.NANOS.between(START, start);
        return Math.clamp(Math.ceilDiv(nanos, 1_000), 0, Integer.MAX_VALUE);
    }

    /** Returns the only row of the initial query: all partitions, in one record. */
    byte[] children(List<String> tokens) {
        Value.Builder row = recorded.child().getValues(0).toBuilder();
        ListValue.Builder record = list(list(list(row, 0), 2), 0);
        record.setValues(0, RecordedRow.string(START.toString()));
        ListValue.Builder children = record.getValuesBuilder(2).getListValueBuilder();
        Value child = children.getValues(0);
        children.clear();
        for (String token : tokens) {
            Value.Builder named = child.toBuilder();
            named.getListValueBuilder().setValues(0, RecordedRow.string(token));
            children.addValues(named);
        }
        return PartialResultSet.newBuilder()
                .addValues(row)
                .setResumeToken(resumeToken(0))
                .build()
                .toByteArray();
    }
}
