package dev.spream.storage.spanner;

import com.google.cloud.NoCredentials;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.MockSpannerServiceImpl;
import com.google.cloud.spanner.MockSpannerServiceImpl.StatementResult;
import com.google.cloud.spanner.Spanner;
import com.google.cloud.spanner.SpannerOptions;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.admin.instance.v1.MockInstanceAdminImpl;
import com.google.spanner.admin.instance.v1.ListInstanceConfigsResponse;
import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.ResultSet;
import com.google.spanner.v1.SpannerGrpc;
import com.google.spanner.v1.TypeCode;
import io.grpc.Context;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The mock server that google-cloud-spanner publishes, behind real gRPC, with a client. It responds only to the
 * statements that a test has registered.
 */
final class MockSpanner implements AutoCloseable {
    final MockSpannerServiceImpl service = new MockSpannerServiceImpl();
    final ReceivedMessages received = new ReceivedMessages();
    private final Dialect dialect;

    /** The compression of query results, such as {@code gzip}; null for none. */
    volatile @Nullable String compression;

    /** True when rows of query results come in chunks. */
    volatile boolean chunked;

    volatile CountDownLatch queryArrived = new CountDownLatch(1);
    volatile CountDownLatch queryCancelled = new CountDownLatch(1);
    private final Server server;
    private final Spanner spanner;

    MockSpanner(Dialect dialect) throws IOException {
        this(dialect, SpannerConnection::prepare);
    }

    /** @param preparing the last that is done to the client's options */
    MockSpanner(Dialect dialect, UnaryOperator<SpannerOptions.Builder> preparing) throws IOException {
        this.dialect = dialect;
        service.setAbortProbability(0);
        service.putStatementResult(StatementResult.detectDialectResult(dialect));
        server = Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .addService(service)
                .addService(instanceAdmin())
                .intercept(new QueryWatch())
                .build()
                .start();
        spanner = preparing
                .apply(SpannerOptions.newBuilder()
                        .setProjectId("p")
                        .setHost("http://localhost:" + server.getPort())
                        .setCredentials(NoCredentials.getInstance())
                        .setChannelConfigurator(ManagedChannelBuilder::usePlaintext)
                        .setBuiltInMetricsEnabled(false)
                        .setCallContextConfigurator(received))
                .build()
                .getService();
    }

    /** A client of an emulator begins by asking for the instance configurations. */
    private static MockInstanceAdminImpl instanceAdmin() {
        MockInstanceAdminImpl admin = new MockInstanceAdminImpl();
        admin.addResponse(ListInstanceConfigsResponse.getDefaultInstance());
        return admin;
    }

    /** The address that a client takes for an emulator's. */
    String emulatorHost() {
        return "localhost:" + server.getPort();
    }

    /** Forgets what arrived and was cancelled so far. */
    void watchNextQuery() {
        queryArrived = new CountDownLatch(1);
        queryCancelled = new CountDownLatch(1);
    }

    DatabaseClient client() {
        return spanner.getDatabaseClient(DatabaseId.of("p", "i", "d"));
    }

    /** Answers the questions about a stream that declares these options. */
    void declareStream(String stream, Map<String, String> options) {
        answer(
                Statement.of(
                        "select change_stream_name from information_schema.change_streams order by change_stream_name"),
                strings(List.of(stream)));
        boolean google = dialect == Dialect.GOOGLE_STANDARD_SQL;
        for (String option : List.of("partition_mode", "retention_period")) {
            Statement question = Statement.newBuilder(
                            ("select option_value from information_schema.change_stream_options"
                                            + " where option_name = '%s' and change_stream_name = %s")
                                    .formatted(option, google ? "@changeStreamName" : "$1"))
                    .bind(google ? "changeStreamName" : "p1")
                    .to(stream)
                    .build();
            answer(question, strings(Stream.ofNullable(options.get(option)).toList()));
        }
    }

    private static ResultSet strings(List<String> values) {
        return WireRows.resultSet(
                "value",
                WireRows.type(TypeCode.STRING),
                values.stream().map(WireRows::string).toList());
    }

    void answer(Statement statement, ResultSet result) {
        service.putStatementResult(StatementResult.query(statement, result));
    }

    void fail(Statement statement, Status status) {
        service.putStatementResult(StatementResult.exception(statement, status.asRuntimeException()));
    }

    List<ExecuteSqlRequest> queries() {
        return service.getRequestsOfType(ExecuteSqlRequest.class);
    }

    List<CreateSessionRequest> sessions() {
        return service.getRequestsOfType(CreateSessionRequest.class);
    }

    @Override
    public void close() {
        service.unfreeze();
        if (!spanner.isClosed()) {
            spanner.close();
        }
        server.shutdownNow();
    }

    /** Sees queries come and be cancelled, also while the service is frozen. */
    private final class QueryWatch implements ServerInterceptor {
        @Override
        public <ReqT, RespT> ServerCall.Listener<ReqT> interceptCall(
                ServerCall<ReqT, RespT> call, Metadata headers, ServerCallHandler<ReqT, RespT> next) {
            if (call.getMethodDescriptor()
                    .getFullMethodName()
                    .equals(SpannerGrpc.getExecuteStreamingSqlMethod().getFullMethodName())) {
                Context.current()
                        .addListener(
                                context -> {
                                    if (context.cancellationCause() != null) {
                                        queryCancelled.countDown();
                                    }
                                },
                                Runnable::run);
                queryArrived.countDown();
                if (compression != null) {
                    call.setCompression(compression);
                }
                if (chunked) {
                    return next.startCall(new ChunkedCall<>(call), headers);
                }
            }
            return next.startCall(call, headers);
        }
    }

    /** Sends rows in chunks. */
    private static final class ChunkedCall<ReqT, RespT> extends SimpleForwardingServerCall<ReqT, RespT> {
        private ChunkedCall(ServerCall<ReqT, RespT> call) {
            super(call);
        }

        @Override
        @SuppressWarnings("unchecked") // the method's responses are of this type
        public void sendMessage(RespT rows) {
            ChunkedRows.of((PartialResultSet) rows).forEach(chunk -> super.sendMessage((RespT) chunk));
        }
    }
}
