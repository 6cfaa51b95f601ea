package dev.spream.emulator.internal.server;

import static dev.spream.emulator.internal.server.UnaryCalls.answer;

import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.CommitResponse;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.ResultSet;
import com.google.spanner.v1.SpannerGrpc;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import dev.spream.emulator.internal.upstream.FollowedDatabase;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.Locale;
import java.util.Optional;

/**
 * The calls of the data service that do not simply pass through to the other server: queries of change streams are
 * answered here, and commits are noticed.
 */
final class FollowedSpanner extends SpannerGrpc.SpannerImplBase {
    private final SpannerGrpc.SpannerBlockingStub other;
    private final UpstreamBackend databases;

    FollowedSpanner(Channel channel, UpstreamBackend databases) {
        this.other = SpannerGrpc.newBlockingStub(channel);
        this.databases = databases;
    }

    private FollowedDatabase databaseOf(String session) {
        int end = session.indexOf("/sessions/");
        return databases.database(end < 0 ? session : session.substring(0, end));
    }

    @Override
    public void executeStreamingSql(ExecuteSqlRequest request, StreamObserver<PartialResultSet> observer) {
        Context call = Context.current();
        StreamingCalls.start(
                observer,
                out -> call.run(() -> {
                    Optional<ChangeStreamQuery> query = changeStreamQuery(request);
                    if (query.isPresent()) {
                        ChangeStreamCalls.run(
                                databaseOf(request.getSession()).streams(),
                                query.get().resumingAt(request.getResumeToken()),
                                request.getTransaction(),
                                out);
                        return;
                    }
                    Iterator<PartialResultSet> parts = other.executeStreamingSql(withModes(request));
                    while (parts.hasNext()) {
                        out.onNext(parts.next());
                    }
                    out.onCompleted();
                }));
    }

    private Optional<ChangeStreamQuery> changeStreamQuery(ExecuteSqlRequest request) {
        if (!request.getSql().toLowerCase(Locale.ROOT).contains("read_")) {
            return Optional.empty();
        }
        return databaseOf(request.getSession())
                .streamQuery(request.getSql(), request.getParams(), request.getParamTypesMap());
    }

    @Override
    public void executeSql(ExecuteSqlRequest request, StreamObserver<ResultSet> observer) {
        answer(observer, () -> other.executeSql(withModes(request)));
    }

    private ExecuteSqlRequest withModes(ExecuteSqlRequest request) {
        if (!request.getSql().toLowerCase(Locale.ROOT).contains("change_stream_options")) {
            return request;
        }
        return request.toBuilder()
                .setSql(databaseOf(request.getSession()).withModes(request.getSql()))
                .build();
    }

    @Override
    public void commit(CommitRequest request, StreamObserver<CommitResponse> observer) {
        answer(observer, () -> databaseOf(request.getSession()).commit(request, other::commit));
    }
}
