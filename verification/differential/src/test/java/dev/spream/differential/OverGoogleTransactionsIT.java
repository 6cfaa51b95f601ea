package dev.spream.differential;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.protobuf.ByteString;
import com.google.protobuf.ListValue;
import com.google.protobuf.Value;
import com.google.spanner.v1.BeginTransactionRequest;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.ExecuteBatchDmlRequest;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.KeySet;
import com.google.spanner.v1.ReadRequest;
import com.google.spanner.v1.RollbackRequest;
import com.google.spanner.v1.SpannerGrpc;
import com.google.spanner.v1.SpannerGrpc.SpannerBlockingStub;
import com.google.spanner.v1.TransactionOptions;
import com.google.spanner.v1.TransactionSelector;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.servers.GoogleEmulator;
import dev.spream.servers.SpannerServer;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Read-write transactions of regular sessions over Google's emulator, which alone aborts all but one. */
@Timeout(120)
class OverGoogleTransactionsIT {
    private static final int ROUNDS = 8;
    private static final String SQL = "SELECT Id FROM Items WHERE Id = 1";
    private static final TransactionOptions READ_WRITE = TransactionOptions.newBuilder()
            .setReadWrite(TransactionOptions.ReadWrite.getDefaultInstance())
            .build();
    private static final TransactionSelector BEGIN =
            TransactionSelector.newBuilder().setBegin(READ_WRITE).build();

    /** A first call of a transaction, which returns the transaction's id. */
    private interface Begin {
        ByteString call(SpannerBlockingStub calls, String session);
    }

    private static final List<Begin> BEGINS = List.of(
            (calls, session) -> calls.beginTransaction(BeginTransactionRequest.newBuilder()
                            .setSession(session)
                            .setOptions(READ_WRITE)
                            .build())
                    .getId(),
            (calls, session) -> calls.executeSql(query(session))
                    .getMetadata()
                    .getTransaction()
                    .getId(),
            (calls, session) -> calls.executeStreamingSql(query(session))
                    .next()
                    .getMetadata()
                    .getTransaction()
                    .getId(),
            (calls, session) ->
                    calls.read(read(session)).getMetadata().getTransaction().getId(),
            (calls, session) -> calls.streamingRead(read(session))
                    .next()
                    .getMetadata()
                    .getTransaction()
                    .getId(),
            (calls, session) -> calls.executeBatchDml(ExecuteBatchDmlRequest.newBuilder()
                            .setSession(session)
                            .setTransaction(BEGIN)
                            .addStatements(ExecuteBatchDmlRequest.Statement.newBuilder()
                                    .setSql("DELETE FROM Items WHERE Id = 2"))
                            .setSeqno(1)
                            .build())
                    .getResultSets(0)
                    .getMetadata()
                    .getTransaction()
                    .getId());

    private static ExecuteSqlRequest query(String session) {
        return ExecuteSqlRequest.newBuilder()
                .setSession(session)
                .setTransaction(BEGIN)
                .setSql(SQL)
                .build();
    }

    private static ReadRequest read(String session) {
        return ReadRequest.newBuilder()
                .setSession(session)
                .setTransaction(BEGIN)
                .setTable("Items")
                .addColumns("Id")
                .setKeySet(KeySet.newBuilder()
                        .addKeys(ListValue.newBuilder()
                                .addValues(Value.newBuilder().setStringValue("1"))))
                .build();
    }

    @Test
    void those_of_two_sessions_that_overlap_are_not_aborted() throws Exception {
        Optional<Path> program = GoogleEmulator.find();
        if (program.isEmpty()) {
            System.out.println(
                    "OverGoogleTransactionsIT: Google's emulator was not found, so nothing was tested over it");
            return;
        }
        try (GoogleEmulator google = GoogleEmulator.start(program.get());
                SpannerEmulator emulator =
                        SpannerEmulator.builder().over(google.host()).start()) {
            DatabaseId database = new SpannerServer("over Google's", emulator.emulatorHost())
                    .createDatabase(
                            Dialect.GOOGLE_STANDARD_SQL,
                            List.of("CREATE TABLE Items (Id INT64 NOT NULL) PRIMARY KEY (Id)"));
            ManagedChannel channel = ManagedChannelBuilder.forTarget(emulator.emulatorHost())
                    .usePlaintext()
                    .build();
            try {
                assertThat(aborted(SpannerGrpc.newBlockingStub(channel), database.getName()))
                        .as("aborted transactions")
                        .isLessThan(ROUNDS);
            } finally {
                channel.shutdownNow();
            }
        }
    }

    /** Runs transactions in two sessions at a time, and returns how many were aborted. */
    private static int aborted(SpannerBlockingStub calls, String database) throws Exception {
        AtomicInteger aborted = new AtomicInteger();
        CyclicBarrier bothReady = new CyclicBarrier(2);
        CompletableFuture<Void> one = CompletableFuture.runAsync(() -> run(calls, database, bothReady, aborted));
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> run(calls, database, bothReady, aborted));
        CompletableFuture.allOf(one, other).get();
        return aborted.get();
    }

    private static void run(SpannerBlockingStub calls, String database, CyclicBarrier ready, AtomicInteger aborted) {
        String session = calls.createSession(
                        CreateSessionRequest.newBuilder().setDatabase(database).build())
                .getName();
        for (int round = 0; round < ROUNDS; round++) {
            for (Begin begin : BEGINS) {
                await(ready);
                try {
                    transact(calls, session, begin, round % 2 == 0);
                } catch (StatusRuntimeException e) {
                    assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.ABORTED);
                    aborted.incrementAndGet();
                }
            }
        }
    }

    private static void transact(SpannerBlockingStub calls, String session, Begin begin, boolean commit) {
        ByteString id = begin.call(calls, session);
        calls.executeSql(query(session).toBuilder()
                .setTransaction(TransactionSelector.newBuilder().setId(id))
                .build());
        if (commit) {
            calls.commit(CommitRequest.newBuilder()
                    .setSession(session)
                    .setTransactionId(id)
                    .build());
        } else {
            calls.rollback(RollbackRequest.newBuilder()
                    .setSession(session)
                    .setTransactionId(id)
                    .build());
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
