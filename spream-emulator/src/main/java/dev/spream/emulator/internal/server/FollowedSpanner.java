package dev.spream.emulator.internal.server;

import static dev.spream.emulator.internal.server.UnaryCalls.answer;

import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import com.google.spanner.v1.BeginTransactionRequest;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.CommitResponse;
import com.google.spanner.v1.ExecuteBatchDmlRequest;
import com.google.spanner.v1.ExecuteBatchDmlResponse;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.ReadRequest;
import com.google.spanner.v1.ResultSet;
import com.google.spanner.v1.RollbackRequest;
import com.google.spanner.v1.SpannerGrpc;
import com.google.spanner.v1.Transaction;
import com.google.spanner.v1.TransactionSelector;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import dev.spream.emulator.internal.upstream.FollowedDatabase;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.stub.StreamObserver;
import java.util.Iterator;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The calls of the data service that do not simply pass through to the other server: queries of change streams are
 * answered here, read-write transactions take turns, and commits are noticed.
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
                    stream(
                            request.getSession(),
                            request.getTransaction(),
                            () -> other.executeStreamingSql(withModes(request)),
                            out);
                }));
    }

    @Override
    public void streamingRead(ReadRequest request, StreamObserver<PartialResultSet> observer) {
        Context call = Context.current();
        StreamingCalls.start(
                observer,
                out -> call.run(() -> stream(
                        request.getSession(), request.getTransaction(), () -> other.streamingRead(request), out)));
    }

    private void stream(
            String session,
            TransactionSelector selector,
            Supplier<Iterator<PartialResultSet>> call,
            PacedObserver<PartialResultSet> out) {
        // The call of the turn ends with the first part: a client may take its time for the others.
        Iterator<PartialResultSet> parts = inTurn(session, selector, begun -> {
            Iterator<PartialResultSet> all = call.get();
            if (all.hasNext()) {
                PartialResultSet first = all.next();
                begun.accept(first.getMetadata().getTransaction().getId());
                out.onNext(first);
            }
            return all;
        });
        parts.forEachRemaining(out::onNext);
        out.onCompleted();
    }

    /** Makes a call, in a turn if it begins a read-write transaction or continues one; the call tells the id of a new one. */
    private <T> T inTurn(String session, TransactionSelector selector, Function<Consumer<ByteString>, T> call) {
        if (selector.getBegin().hasReadWrite()) {
            return databaseOf(session).turns().begin(turn -> call.apply(turn::identify));
        }
        return selector.hasId()
                ? databaseOf(session).turns().next(selector.getId(), false, () -> call.apply(id -> {}))
                : call.apply(id -> {});
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
        answer(
                observer,
                () -> inTurn(request.getSession(), request.getTransaction(), begun -> {
                    ResultSet result = other.executeSql(withModes(request));
                    begun.accept(result.getMetadata().getTransaction().getId());
                    return result;
                }));
    }

    @Override
    public void executeBatchDml(ExecuteBatchDmlRequest request, StreamObserver<ExecuteBatchDmlResponse> observer) {
        answer(
                observer,
                () -> inTurn(request.getSession(), request.getTransaction(), begun -> {
                    ExecuteBatchDmlResponse response = other.executeBatchDml(request);
                    response.getResultSetsList().stream()
                            .limit(1)
                            .forEach(first -> begun.accept(
                                    first.getMetadata().getTransaction().getId()));
                    return response;
                }));
    }

    @Override
    public void read(ReadRequest request, StreamObserver<ResultSet> observer) {
        answer(
                observer,
                () -> inTurn(request.getSession(), request.getTransaction(), begun -> {
                    ResultSet result = other.read(request);
                    begun.accept(result.getMetadata().getTransaction().getId());
                    return result;
                }));
    }

    @Override
    public void beginTransaction(BeginTransactionRequest request, StreamObserver<Transaction> observer) {
        TransactionSelector begin =
                TransactionSelector.newBuilder().setBegin(request.getOptions()).build();
        answer(
                observer,
                () -> inTurn(request.getSession(), begin, begun -> {
                    Transaction transaction = other.beginTransaction(request);
                    begun.accept(transaction.getId());
                    return transaction;
                }));
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
        answer(observer, () -> {
            FollowedDatabase database = databaseOf(request.getSession());
            Supplier<CommitResponse> call = () -> database.commit(request, other::commit);
            return request.hasSingleUseTransaction()
                    ? database.turns().begin(turn -> call.get())
                    : database.turns().next(request.getTransactionId(), true, call);
        });
    }

    @Override
    public void rollback(RollbackRequest request, StreamObserver<Empty> observer) {
        answer(
                observer,
                () -> databaseOf(request.getSession())
                        .turns()
                        .next(request.getTransactionId(), true, () -> other.rollback(request)));
    }
}
