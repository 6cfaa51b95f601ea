package dev.spream.benchmarks.reading;

import com.google.protobuf.Empty;
import com.google.protobuf.Value;
import com.google.spanner.admin.instance.v1.InstanceAdminGrpc;
import com.google.spanner.admin.instance.v1.ListInstanceConfigsRequest;
import com.google.spanner.admin.instance.v1.ListInstanceConfigsResponse;
import com.google.spanner.v1.BatchCreateSessionsRequest;
import com.google.spanner.v1.BatchCreateSessionsResponse;
import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.DeleteSessionRequest;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.ResultSetMetadata;
import com.google.spanner.v1.Session;
import com.google.spanner.v1.SpannerGrpc;
import com.google.spanner.v1.StructType;
import com.google.spanner.v1.Type;
import com.google.spanner.v1.TypeCode;
import dev.spream.benchmarks.harness.ChildJvm;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.protobuf.ProtoUtils;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.ServerCalls.UnaryMethod;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Spanner server that only sends rows that were encoded before, as fast as the client reads them, so that the
 * reader's own cost is measured. A change stream {@code Replay<n>} has n partitions of as many rows each, all of which
 * have ended: a query returns the rows from its start on and ends with OK.
 */
record ReplayServer(ReplayedRows rows) {
    private static final List<String> STREAMS = List.of(streamName(1), streamName(16));
    private static final Pattern STREAM = Pattern.compile("READ_Replay(\\d+)");
    private static final Marshaller<byte[]> ENCODED = new EncodedMarshaller();

    /** Prints the address of the server. The argument is the number of rows of a stream. */
    public static void main(String[] args) throws IOException {
        ReplayServer replay = new ReplayServer(ReplayedRows.encode(RecordedRow.record(), Integer.parseInt(args[0])));
        Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .directExecutor()
                .permitKeepAliveTime(1, TimeUnit.SECONDS) // the client pings when the machine is busy
                .addService(replay.service())
                .addService(new Instances())
                .build()
                .start();
        System.out.println("127.0.0.1:" + server.getPort());
        ChildJvm.awaitParent();
        server.shutdownNow();
    }

    static String streamName(int partitions) {
        return "Replay" + partitions;
    }

    private ServerServiceDefinition service() {
        MethodDescriptor<ExecuteSqlRequest, byte[]> query = SpannerGrpc.getExecuteStreamingSqlMethod().toBuilder(
                        ProtoUtils.marshaller(ExecuteSqlRequest.getDefaultInstance()), ENCODED)
                .build();
        return ServerServiceDefinition.builder(SpannerGrpc.SERVICE_NAME)
                .addMethod(
                        SpannerGrpc.getCreateSessionMethod(),
                        ServerCalls.asyncUnaryCall(answer((CreateSessionRequest request) -> session(
                                request.getDatabase(), request.getSession().getMultiplexed()))))
                .addMethod(
                        SpannerGrpc.getBatchCreateSessionsMethod(),
                        ServerCalls.asyncUnaryCall(answer(ReplayServer::sessions)))
                .addMethod(
                        SpannerGrpc.getDeleteSessionMethod(),
                        ServerCalls.asyncUnaryCall(
                                answer((DeleteSessionRequest request) -> Empty.getDefaultInstance())))
                .addMethod(query, ServerCalls.asyncServerStreamingCall(this::execute))
                .build();
    }

    private static <Q, A> UnaryMethod<Q, A> answer(Function<Q, A> answer) {
        return (request, response) -> {
            response.onNext(answer.apply(request));
            response.onCompleted();
        };
    }

    private static Session session(String database, boolean multiplexed) {
        return Session.newBuilder()
                .setName(database + "/sessions/" + UUID.randomUUID())
                .setMultiplexed(multiplexed)
                .build();
    }

    private static BatchCreateSessionsResponse sessions(BatchCreateSessionsRequest request) {
        BatchCreateSessionsResponse.Builder sessions = BatchCreateSessionsResponse.newBuilder();
        for (int i = 0; i < request.getSessionCount(); i++) {
            sessions.addSession(session(request.getDatabase(), false));
        }
        return sessions.build();
    }

    private void execute(ExecuteSqlRequest request, StreamObserver<byte[]> response) {
        Matcher stream = STREAM.matcher(request.getSql());
        if (stream.find()) {
            replay(request, Integer.parseInt(stream.group(1)), (ServerCallStreamObserver<byte[]>) response);
            return;
        }
        List<String> values = catalogue(request.getSql());
        if (values.isEmpty() && !request.getSql().contains("change_stream_options")) {
            response.onError(Status.UNIMPLEMENTED
                    .withDescription("no rows for: " + request.getSql())
                    .asRuntimeException());
            return;
        }
        response.onNext(strings(request.getSql(), values).toByteArray());
        response.onCompleted();
    }

    /** Returns the rows of a reader's queries about a stream before it reads it. */
    private static List<String> catalogue(String sql) {
        if (sql.contains("database_dialect")) {
            return List.of("GOOGLE_STANDARD_SQL");
        }
        if (sql.contains("CURRENT_TIMESTAMP")) {
            return List.of(Instant.now().toString());
        }
        return sql.contains("information_schema.change_streams") ? STREAMS : List.of();
    }

    private static PartialResultSet strings(String sql, List<String> values) {
        TypeCode code = sql.contains("CURRENT_TIMESTAMP") ? TypeCode.TIMESTAMP : TypeCode.STRING;
        StructType.Builder row = StructType.newBuilder();
        row.addFieldsBuilder().setName("value").setType(Type.newBuilder().setCode(code));
        return PartialResultSet.newBuilder()
                .setMetadata(ResultSetMetadata.newBuilder().setRowType(row))
                .addAllValues(values.stream().map(RecordedRow::string).toList())
                .build();
    }

    private void replay(ExecuteSqlRequest request, int partitions, ServerCallStreamObserver<byte[]> response) {
        Value token = request.getParams().getFieldsOrThrow("partitionToken");
        if (token.hasNullValue()) {
            List<String> tokens = new ArrayList<>();
            for (int i = 0; i < partitions; i++) {
                tokens.add("replayed-partition-" + i);
            }
            response.onNext(join(rows.metadata(), rows.children(tokens)));
            response.onCompleted();
            return;
        }
        Instant start = Instant.parse(
                request.getParams().getFieldsOrThrow("startTimestamp").getStringValue());
        new Replay(response, ReplayedRows.firstFrom(start), rows.count() / partitions).start();
    }

    private static byte[] join(byte[] first, byte[] second) {
        byte[] joined = new byte[first.length + second.length];
        System.arraycopy(first, 0, joined, 0, first.length);
        System.arraycopy(second, 0, joined, first.length, second.length);
        return joined;
    }

    /** The rows of one query. Confined to its call's thread, on which gRPC calls one handler at a time. */
    private final class Replay {
        private final ServerCallStreamObserver<byte[]> response;
        private final int end;
        private int next;
        private boolean completed;

        Replay(ServerCallStreamObserver<byte[]> response, int first, int end) {
            this.response = response;
            this.next = first;
            this.end = end;
        }

        void start() {
            response.setOnReadyHandler(this::send);
            response.setOnCancelHandler(() -> {});
            response.onNext(rows.metadata());
            send();
        }

        private void send() {
            while (next < end && response.isReady()) {
                response.onNext(rows.row(next++));
            }
            if (next >= end && !completed) {
                completed = true;
                response.onCompleted();
            }
        }
    }

    /** The client queries an emulator's instance configurations to check whether it is running. */
    private static final class Instances extends InstanceAdminGrpc.InstanceAdminImplBase {
        @Override
        public void listInstanceConfigs(
                ListInstanceConfigsRequest request, StreamObserver<ListInstanceConfigsResponse> response) {
            response.onNext(ListInstanceConfigsResponse.getDefaultInstance());
            response.onCompleted();
        }
    }

    /** A marshaller of messages that are encoded already. */
    private static final class EncodedMarshaller implements Marshaller<byte[]> {
        @Override
        public InputStream stream(byte[] message) {
            return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
            try {
                return message.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
