package dev.spream.emulator;

import com.google.protobuf.ByteString;
import com.google.protobuf.ListValue;
import com.google.protobuf.NullValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.Mutation;
import com.google.spanner.v1.SpannerGrpc;
import com.google.spanner.v1.TransactionOptions;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.emulator.control.FaultControl;
import dev.spream.emulator.control.PartitionControl;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.util.List;

/** A database with one table and one change stream, spoken to by stubs, without the client library between. */
final class RawChangeStream implements AutoCloseable {
    static final String STREAM = "changes";

    private static final long LONGEST_HEARTBEAT_MILLIS = 300_000;

    private final SpannerEmulator emulator;
    private final DatabaseDialect dialect;
    private final String database;
    private final ManagedChannel channel;
    private final String session;

    RawChangeStream(SpannerEmulator emulator, DatabaseDialect dialect, String name) {
        this.emulator = emulator;
        this.dialect = dialect;
        this.database = "projects/test/instances/test/databases/" + name;
        boolean postgres = dialect == DatabaseDialect.POSTGRESQL;
        emulator.createDatabase(
                database,
                dialect,
                postgres
                        ? "CREATE TABLE items (id bigint PRIMARY KEY, name varchar)"
                        : "CREATE TABLE items (id INT64, name STRING(MAX)) PRIMARY KEY (id)",
                "CREATE CHANGE STREAM " + STREAM + " FOR ALL");
        this.channel = channel();
        this.session = stub().createSession(
                        CreateSessionRequest.newBuilder().setDatabase(database).build())
                .getName();
    }

    /** A connection of its own. The caller shuts it down. */
    ManagedChannel channel() {
        return NettyChannelBuilder.forTarget(emulator.emulatorHost())
                .usePlaintext()
                .build();
    }

    SpannerGrpc.SpannerBlockingStub stub() {
        return SpannerGrpc.newBlockingStub(channel);
    }

    PartitionControl partitions() {
        return emulator.partitions(database, STREAM);
    }

    FaultControl faults() {
        return emulator.faults(database, STREAM);
    }

    int runningQueries() {
        return emulator.runningQueries(database);
    }

    /** Commits a row of that id. */
    void insert(long id) {
        stub().commit(CommitRequest.newBuilder()
                .setSession(session)
                .setSingleUseTransaction(
                        TransactionOptions.newBuilder().setReadWrite(TransactionOptions.ReadWrite.getDefaultInstance()))
                .addMutations(Mutation.newBuilder()
                        .setInsert(Mutation.Write.newBuilder()
                                .setTable("items")
                                .addAllColumns(List.of("id", "name"))
                                .addValues(ListValue.newBuilder()
                                        .addValues(text(Long.toString(id)))
                                        .addValues(text("name " + id)))))
                .build());
    }

    /** The query of a partition from its start on, without an end. */
    ExecuteSqlRequest query(PartitionControl.PartitionView partition, ByteString resumeToken) {
        boolean postgres = dialect == DatabaseDialect.POSTGRESQL;
        String sql = postgres
                ? "SELECT * FROM spanner.read_json_" + STREAM + "($1, $2, $3, $4, NULL)"
                : "SELECT ChangeRecord FROM READ_" + STREAM + "(@p1, @p2, @p3, @p4)";
        return ExecuteSqlRequest.newBuilder()
                .setSession(session)
                .setSql(sql)
                .setParams(Struct.newBuilder()
                        .putFields("p1", text(partition.start().toString()))
                        .putFields(
                                "p2",
                                Value.newBuilder()
                                        .setNullValue(NullValue.NULL_VALUE)
                                        .build())
                        .putFields("p3", text(partition.token()))
                        .putFields("p4", text(Long.toString(LONGEST_HEARTBEAT_MILLIS))))
                .putParamTypes("p1", type(TypeCode.TIMESTAMP))
                .putParamTypes("p2", type(TypeCode.TIMESTAMP))
                .putParamTypes("p3", type(TypeCode.STRING))
                .putParamTypes("p4", type(TypeCode.INT64))
                .setResumeToken(resumeToken)
                .build();
    }

    private static Value text(String text) {
        return Value.newBuilder().setStringValue(text).build();
    }

    private static Type type(TypeCode code) {
        return Type.newBuilder().setCode(code).build();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}
