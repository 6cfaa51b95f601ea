package dev.spream.emulator.internal.server;

import com.google.rpc.Status;
import com.google.spanner.v1.ExecuteBatchDmlRequest;
import com.google.spanner.v1.ExecuteBatchDmlRequest.Statement;
import com.google.spanner.v1.ExecuteBatchDmlResponse;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.ExecuteSqlRequest.QueryMode;
import com.google.spanner.v1.ReadRequest;
import com.google.spanner.v1.RequestOptions;
import com.google.spanner.v1.ResultSet;
import com.google.spanner.v1.TransactionSelector;
import dev.spream.emulator.internal.database.AccessControl;
import dev.spream.emulator.internal.database.EmulatedDatabase;
import dev.spream.emulator.internal.database.QueryResult;
import dev.spream.emulator.internal.database.ReadWriteTransaction;
import dev.spream.emulator.internal.sql.Errors;
import dev.spream.emulator.internal.sql.SqlNames;
import dev.spream.emulator.internal.sql.SqlParameters;
import io.grpc.StatusRuntimeException;
import java.util.Optional;
import java.util.function.Function;

/** Runs reads, queries and DML in the transaction that the request names. */
record StatementService(Sessions sessions) {
    /** Converts a result while its transaction is open. */
    @FunctionalInterface
    interface ResultShape<T> {
        T shape(QueryResult result, RequestTransaction scope, boolean multiplexed);
    }

    <T> T execute(ExecuteSqlRequest request, ResultShape<T> shape) {
        EmulatedDatabase database = sessions.databaseOf(request.getSession());
        refuseChangeStreamQuery(database, request);
        sessions.accessOf(request.getSession()).checkStatement(request.getSql());
        boolean dml = SqlNames.isDml(request.getSql(), database.dialect());
        boolean planOnly = request.getQueryMode() == QueryMode.PLAN || PartitionedReads.isEmpty(request);
        SqlParameters parameters = new SqlParameters(request.getParams(), request.getParamTypesMap());
        return run(request.getSession(), request.getTransaction(), request.getRequestOptions(), scope -> {
            QueryResult result = dml
                    ? database.dml(request.getSql(), parameters, writer(scope), planOnly)
                    : database.query(request.getSql(), parameters, scope.context(), planOnly);
            return shape.shape(result, scope, sessions.isMultiplexed(request.getSession()));
        });
    }

    private <T> T run(
            String session,
            TransactionSelector selector,
            RequestOptions options,
            Function<RequestTransaction, T> request) {
        return RequestTransaction.run(sessions, session, selector, options, request);
    }

    /** Rejects change stream queries; streaming calls have handled theirs before. */
    private static void refuseChangeStreamQuery(EmulatedDatabase database, ExecuteSqlRequest request) {
        if (database.streams()
                .parse(request.getSql(), request.getParams(), request.getParamTypesMap())
                .isPresent()) {
            throw Errors.invalidArgument(ChangeStreamCalls.MUST_BE_SINGLE_USE);
        }
    }

    private static ReadWriteTransaction writer(RequestTransaction scope) {
        return scope.writer()
                .orElseThrow(() -> Errors.invalidArgument(
                        "DML statements can only be performed in a read-write or partitioned-dml transaction, with a"
                                + " known transaction id, or beginning one"));
    }

    ExecuteBatchDmlResponse executeBatch(ExecuteBatchDmlRequest request) {
        EmulatedDatabase database = sessions.databaseOf(request.getSession());
        boolean multiplexed = sessions.isMultiplexed(request.getSession());
        AccessControl access = sessions.accessOf(request.getSession());
        return run(request.getSession(), request.getTransaction(), request.getRequestOptions(), scope -> {
            ExecuteBatchDmlResponse.Builder response =
                    ExecuteBatchDmlResponse.newBuilder().setStatus(Status.getDefaultInstance());
            for (Statement statement : request.getStatementsList()) {
                Optional<Status> failure = executeOne(database, access, statement, scope, response);
                if (failure.isPresent()) {
                    response.setStatus(failure.get());
                    break;
                }
            }
            if (scope.beganHere() && response.getResultSetsCount() == 0) {
                scope.writer().ifPresent(ReadWriteTransaction::rollback);
            }
            scope.precommitToken(multiplexed).ifPresent(response::setPrecommitToken);
            return response.build();
        });
    }

    private static Optional<Status> executeOne(
            EmulatedDatabase database,
            AccessControl access,
            Statement statement,
            RequestTransaction scope,
            ExecuteBatchDmlResponse.Builder response) {
        try {
            if (!SqlNames.isDml(statement.getSql(), database.dialect())) {
                throw Errors.invalidArgument("ExecuteBatchDml takes DML statements only: %s", statement.getSql());
            }
            access.checkStatement(statement.getSql());
            SqlParameters parameters = new SqlParameters(statement.getParams(), statement.getParamTypesMap());
            QueryResult result = database.dml(statement.getSql(), parameters, writer(scope), false);
            ResultSet whole = Results.whole(result, scope, false);
            boolean first = response.getResultSetsCount() == 0;
            response.addResultSets(
                    first
                            ? whole
                            : whole.toBuilder()
                                    .clearMetadata()
                                    .setMetadata(whole.getMetadata().toBuilder().clearTransaction())
                                    .build());
            return Optional.empty();
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() == io.grpc.Status.Code.ABORTED) {
                throw e;
            }
            return Optional.of(status(e));
        }
    }

    /** Returns a failure as the part of a response. */
    static Status status(StatusRuntimeException failure) {
        return Status.newBuilder()
                .setCode(failure.getStatus().getCode().value())
                .setMessage(String.valueOf(failure.getStatus().getDescription()))
                .build();
    }

    <T> T read(ReadRequest request, ResultShape<T> shape) {
        EmulatedDatabase database = sessions.databaseOf(request.getSession());
        sessions.accessOf(request.getSession()).checkRead(request.getTable());
        return run(
                request.getSession(),
                request.getTransaction(),
                request.getRequestOptions(),
                scope -> shape.shape(
                        database.read(PartitionedReads.read(request), scope.context()),
                        scope,
                        sessions.isMultiplexed(request.getSession())));
    }
}
