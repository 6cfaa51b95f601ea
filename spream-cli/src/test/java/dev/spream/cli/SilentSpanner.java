package dev.spream.cli;

import com.google.spanner.admin.instance.v1.InstanceAdminGrpc;
import com.google.spanner.admin.instance.v1.ListInstanceConfigsRequest;
import com.google.spanner.admin.instance.v1.ListInstanceConfigsResponse;
import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.Session;
import com.google.spanner.v1.SpannerGrpc;
import io.grpc.Grpc;
import io.grpc.InsecureServerCredentials;
import io.grpc.Server;
import io.grpc.stub.StreamObserver;
import java.io.IOException;

/** A Spanner server that opens sessions and never answers a query. */
final class SilentSpanner extends SpannerGrpc.SpannerImplBase implements AutoCloseable {
    private final Server server;

    private SilentSpanner() {
        server = Grpc.newServerBuilderForPort(0, InsecureServerCredentials.create())
                .addService(this)
                .addService(new Emulating())
                .build();
    }

    static SilentSpanner start() throws IOException {
        SilentSpanner silent = new SilentSpanner();
        silent.server.start();
        return silent;
    }

    String host() {
        return "127.0.0.1:" + server.getPort();
    }

    @Override
    public void createSession(CreateSessionRequest request, StreamObserver<Session> answer) {
        answer.onNext(request.getSession().toBuilder()
                .setName(request.getDatabase() + "/sessions/s")
                .build());
        answer.onCompleted();
    }

    @Override
    public void executeStreamingSql(ExecuteSqlRequest request, StreamObserver<PartialResultSet> answer) {
        // and never will
    }

    @Override
    public void close() {
        server.shutdownNow();
    }

    /** The client asks for the configurations of an emulator, to see that there is one. */
    private static final class Emulating extends InstanceAdminGrpc.InstanceAdminImplBase {
        @Override
        public void listInstanceConfigs(
                ListInstanceConfigsRequest request, StreamObserver<ListInstanceConfigsResponse> answer) {
            answer.onNext(ListInstanceConfigsResponse.getDefaultInstance());
            answer.onCompleted();
        }
    }
}
