package dev.spream.emulator.internal.server;

import static dev.spream.emulator.internal.server.UnaryCalls.answer;

import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import com.google.spanner.v1.BatchCreateSessionsRequest;
import com.google.spanner.v1.BatchCreateSessionsResponse;
import com.google.spanner.v1.BatchWriteRequest;
import com.google.spanner.v1.BatchWriteResponse;
import com.google.spanner.v1.BeginTransactionRequest;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.CommitResponse;
import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.DeleteSessionRequest;
import com.google.spanner.v1.ExecuteBatchDmlRequest;
import com.google.spanner.v1.ExecuteBatchDmlResponse;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.GetSessionRequest;
import com.google.spanner.v1.ListSessionsRequest;
import com.google.spanner.v1.ListSessionsResponse;
import com.google.spanner.v1.Mutation;
import com.google.spanner.v1.PartialResultSet;
import com.google.spanner.v1.PartitionQueryRequest;
import com.google.spanner.v1.PartitionReadRequest;
import com.google.spanner.v1.PartitionResponse;
import com.google.spanner.v1.ReadRequest;
import com.google.spanner.v1.ResultSet;
import com.google.spanner.v1.RollbackRequest;
import com.google.spanner.v1.Session;
import com.google.spanner.v1.SpannerGrpc;
import com.google.spanner.v1.Transaction;
import dev.spream.emulator.internal.database.AccessControl;
import dev.spream.emulator.internal.database.EmulatedDatabase;
import dev.spream.emulator.internal.database.ReadWriteTransaction;
import dev.spream.emulator.internal.database.ReadWriteTransaction.CommitResult;
import dev.spream.emulator.internal.database.WireTimestamps;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.List;

/** The data service: sessions, transactions, reads, SQL and commits. */
final class SpannerService extends SpannerGrpc.SpannerImplBase {
    private final Sessions sessions;
    private final StatementService statements;
    private final StreamingCalls streaming;
    private final PartitionedReads partitions;

    SpannerService(DatabaseCatalog catalog) {
        this.sessions = new Sessions(catalog);
        this.statements = new StatementService(sessions);
        this.streaming = new StreamingCalls(sessions, statements);
        this.partitions = new PartitionedReads(sessions);
    }

    @Override
    public void createSession(CreateSessionRequest request, StreamObserver<Session> observer) {
        answer(observer, () -> sessions.create(request.getDatabase(), request.getSession()));
    }

    @Override
    public void batchCreateSessions(
            BatchCreateSessionsRequest request, StreamObserver<BatchCreateSessionsResponse> observer) {
        answer(observer, () -> {
            BatchCreateSessionsResponse.Builder created = BatchCreateSessionsResponse.newBuilder();
            for (int i = 0; i < request.getSessionCount(); i++) {
                created.addSession(sessions.create(request.getDatabase(), request.getSessionTemplate()));
            }
            return created.build();
        });
    }

    @Override
    public void getSession(GetSessionRequest request, StreamObserver<Session> observer) {
        answer(observer, () -> sessions.get(request.getName()));
    }

    @Override
    public void listSessions(ListSessionsRequest request, StreamObserver<ListSessionsResponse> observer) {
        answer(
                observer,
                () -> ListSessionsResponse.newBuilder()
                        .addAllSessions(sessions.of(request.getDatabase()))
                        .build());
    }

    @Override
    public void deleteSession(DeleteSessionRequest request, StreamObserver<Empty> observer) {
        answer(observer, () -> {
            sessions.delete(request.getName());
            return Empty.getDefaultInstance();
        });
    }

    @Override
    public void beginTransaction(BeginTransactionRequest request, StreamObserver<Transaction> observer) {
        answer(observer, () -> {
            RequestTransaction scope = RequestTransaction.begin(
                    sessions, request.getSession(), request.getOptions(), request.getRequestOptions());
            Transaction.Builder begun = scope.begun().orElseThrow().toBuilder();
            scope.precommitToken(sessions.isMultiplexed(request.getSession())).ifPresent(begun::setPrecommitToken);
            return begun.build();
        });
    }

    @Override
    public void commit(CommitRequest request, StreamObserver<CommitResponse> observer) {
        answer(observer, () -> {
            sessions.accessOf(request.getSession()).checkMutations(request.getMutationsList());
            CommitResult result = transactionOf(request)
                    .commit(
                            request.getMutationsList(),
                            request.getRequestOptions().getTransactionTag());
            CommitResponse.Builder response =
                    CommitResponse.newBuilder().setCommitTimestamp(WireTimestamps.timestamp(result.timestamp()));
            if (request.getReturnCommitStats()) {
                response.setCommitStats(
                        CommitResponse.CommitStats.newBuilder().setMutationCount(result.mutationCount()));
            }
            return response.build();
        });
    }

    private ReadWriteTransaction transactionOf(CommitRequest request) {
        EmulatedDatabase database = sessions.databaseOf(request.getSession());
        if (!request.hasSingleUseTransaction()) {
            return database.transactions().readWrite(request.getTransactionId());
        }
        return database.transactions()
                .begin(
                        request.getRequestOptions().getTransactionTag(),
                        request.getSingleUseTransaction().getExcludeTxnFromChangeStreams(),
                        ByteString.EMPTY);
    }

    @Override
    public void rollback(RollbackRequest request, StreamObserver<Empty> observer) {
        answer(observer, () -> {
            sessions.databaseOf(request.getSession())
                    .transactions()
                    .readWrite(request.getTransactionId())
                    .rollback();
            return Empty.getDefaultInstance();
        });
    }

    @Override
    public void executeSql(ExecuteSqlRequest request, StreamObserver<ResultSet> observer) {
        answer(observer, () -> statements.execute(request, Results::whole));
    }

    @Override
    public void executeStreamingSql(ExecuteSqlRequest request, StreamObserver<PartialResultSet> observer) {
        streaming.execute(request, observer);
    }

    @Override
    public void executeBatchDml(ExecuteBatchDmlRequest request, StreamObserver<ExecuteBatchDmlResponse> observer) {
        answer(observer, () -> statements.executeBatch(request));
    }

    @Override
    public void partitionQuery(PartitionQueryRequest request, StreamObserver<PartitionResponse> observer) {
        answer(observer, () -> partitions.of(request));
    }

    @Override
    public void partitionRead(PartitionReadRequest request, StreamObserver<PartitionResponse> observer) {
        answer(observer, () -> partitions.of(request));
    }

    /** Commits each group in a transaction of its own, in their order; a group that fails does not affect the others. */
    @Override
    public void batchWrite(BatchWriteRequest request, StreamObserver<BatchWriteResponse> observer) {
        EmulatedDatabase database;
        AccessControl access;
        try {
            database = sessions.databaseOf(request.getSession());
            access = sessions.accessOf(request.getSession());
        } catch (StatusRuntimeException e) {
            observer.onError(e);
            return;
        }
        for (int i = 0; i < request.getMutationGroupsCount(); i++) {
            observer.onNext(committed(database, access, request, i));
        }
        observer.onCompleted();
    }

    private static BatchWriteResponse committed(
            EmulatedDatabase database, AccessControl access, BatchWriteRequest request, int group) {
        BatchWriteResponse.Builder response = BatchWriteResponse.newBuilder().addIndexes(group);
        String tag = request.getRequestOptions().getTransactionTag();
        List<Mutation> mutations = request.getMutationGroups(group).getMutationsList();
        try {
            access.checkMutations(mutations);
            CommitResult result = database.transactions()
                    .begin(tag, request.getExcludeTxnFromChangeStreams(), ByteString.EMPTY)
                    .commit(mutations, tag);
            return response.setStatus(com.google.rpc.Status.getDefaultInstance())
                    .setCommitTimestamp(WireTimestamps.timestamp(result.timestamp()))
                    .build();
        } catch (StatusRuntimeException e) {
            return response.setStatus(StatementService.status(e)).build();
        }
    }

    @Override
    public void read(ReadRequest request, StreamObserver<ResultSet> observer) {
        answer(observer, () -> statements.read(request, Results::whole));
    }

    @Override
    public void streamingRead(ReadRequest request, StreamObserver<PartialResultSet> observer) {
        streaming.read(request, observer);
    }
}
