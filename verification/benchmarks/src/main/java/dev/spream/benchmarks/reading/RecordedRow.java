package dev.spream.benchmarks.reading;

import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.Mutation;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.SpannerGrpc;
import com.google.spanner.v1.TransactionOptions;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.SpannerEmulator;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;

/**
 * The rows of a change stream as the emulator sends them, used as templates: one data change record, an update of a row
 * of seven columns with old and new values, and one record that names a child partition.
 *
 * @param data a result of one row with metadata, the update
 * @param child a result of one row with metadata, the child partition
 */
record RecordedRow(PartialResultSet data, PartialResultSet child) {
    private static final String DATABASE = "projects/record/instances/record/databases/record";
    private static final String TABLE = """
            CREATE TABLE Orders (
              OrderId INT64 NOT NULL, Customer STRING(MAX), Status STRING(MAX), Amount NUMERIC,
              Note STRING(MAX), Paid BOOL, Changed TIMESTAMP
            ) PRIMARY KEY (OrderId)""";
    private static final String STREAM =
            "CREATE CHANGE STREAM Changes FOR Orders OPTIONS (value_capture_type = 'OLD_AND_NEW_VALUES')";
    private static final List<String> COLUMNS =
            List.of("OrderId", "Customer", "Status", "Amount", "Note", "Paid", "Changed");

    static RecordedRow record() {
        try (SpannerEmulator emulator = SpannerEmulator.start()) {
            emulator.createDatabase(DATABASE, DatabaseDialect.GOOGLE_STANDARD_SQL, TABLE, STREAM);
            ManagedChannel channel = NettyChannelBuilder.forTarget(emulator.emulatorHost())
                    .usePlaintext()
                    .build();
            try {
                return record(SpannerGrpc.newBlockingStub(channel));
            } finally {
                channel.shutdownNow();
            }
        }
    }

    private static RecordedRow record(SpannerGrpc.SpannerBlockingStub spanner) {
        String session = spanner.createSession(
                        CreateSessionRequest.newBuilder().setDatabase(DATABASE).build())
                .getName();
        Instant start = commit(spanner, session, "open", "12.50");
        Instant end = commit(spanner, session, "dispatched", "1250.75");
        PartialResultSet child = rows(spanner, session, start, end, nullValue()).next();
        Value token = at(child.getValues(0), 0, 2, 0, 2, 0, 0);
        Iterator<PartialResultSet> changes = rows(spanner, session, start, end, token);
        PartialResultSet insert = changes.next();
        PartialResultSet update = changes.next();
        return new RecordedRow(
                update.toBuilder().setMetadata(insert.getMetadata()).build(), child);
    }

    private static Instant commit(
            SpannerGrpc.SpannerBlockingStub spanner, String session, String status, String amount) {
        ListValue row = ListValue.newBuilder()
                .addValues(string("1"))
                .addValues(string("Ada Lovelace, 12 St James's Square, London"))
                .addValues(string(status))
                .addValues(string(amount))
                .addValues(string("to be left with the neighbours when nobody opens the door"))
                .addValues(Value.newBuilder().setBoolValue(true))
                .addValues(string("2026-01-01T12:00:00.123456Z"))
                .build();
        var commit = spanner.commit(CommitRequest.newBuilder()
                .setSession(session)
                .setSingleUseTransaction(
                        TransactionOptions.newBuilder().setReadWrite(TransactionOptions.ReadWrite.getDefaultInstance()))
                .addMutations(Mutation.newBuilder()
                        .setInsertOrUpdate(Mutation.Write.newBuilder()
                                .setTable("Orders")
                                .addAllColumns(COLUMNS)
                                .addValues(row)))
                .build());
        return Instant.ofEpochSecond(
                commit.getCommitTimestamp().getSeconds(),
                commit.getCommitTimestamp().getNanos());
    }

    private static Iterator<PartialResultSet> rows(
            SpannerGrpc.SpannerBlockingStub spanner, String session, Instant start, Instant end, Value token) {
        return spanner.executeStreamingSql(ExecuteSqlRequest.newBuilder()
                .setSession(session)
                .setSql("SELECT ChangeRecord FROM READ_Changes(start_timestamp => @start, end_timestamp => @end,"
                        + " partition_token => @token, heartbeat_milliseconds => 10000)")
                .setParams(Struct.newBuilder()
                        .putFields("start", string(start.toString()))
                        .putFields("end", string(end.toString()))
                        .putFields("token", token))
                .putParamTypes("start", type(TypeCode.TIMESTAMP))
                .putParamTypes("end", type(TypeCode.TIMESTAMP))
                .putParamTypes("token", type(TypeCode.STRING))
                .build());
    }

    /** Returns the value at that path through lists. */
    private static Value at(Value value, int... path) {
        Value found = value;
        for (int index : path) {
            found = found.getListValue().getValues(index);
        }
        return found;
    }

    private static Type type(TypeCode code) {
        return Type.newBuilder().setCode(code).build();
    }

    static Value string(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    private static Value nullValue() {
        return Value.newBuilder().setNullValue(NullValue.NULL_VALUE).build();
    }
}
