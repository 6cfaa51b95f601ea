package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.Mutation;
import com.google.protobuf.ByteString;
import com.google.spanner.v1.BeginTransactionRequest;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.ExecuteSqlRequest;
import com.google.spanner.v1.SpannerGrpc;
import com.google.spanner.v1.TransactionOptions;
import com.google.spanner.v1.TransactionSelector;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Read-write transactions of a client that uses regular sessions, where no transaction names the one that it repeats. */
@Timeout(30)
class RegularSessionsIT {
    private EmulatedSpanner spanner;
    private ManagedChannel channel;
    private SpannerGrpc.SpannerBlockingStub calls;
    private DatabaseClient others;
    private String session;

    @BeforeEach
    void start() throws Exception {
        spanner = EmulatedSpanner.ours();
        DatabaseId id = spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, EmulatedSpanner.ACCOUNTS);
        others = spanner.connect(id);
        writeBeside(10);
        channel = ManagedChannelBuilder.forTarget(spanner.host()).usePlaintext().build();
        calls = SpannerGrpc.newBlockingStub(channel);
        session = calls.createSession(CreateSessionRequest.newBuilder()
                        .setDatabase(id.getName())
                        .build())
                .getName();
    }

    @AfterEach
    void stop() {
        channel.shutdownNow();
        spanner.close();
    }

    private void writeBeside(long balance) {
        others.write(List.of(Mutation.newInsertOrUpdateBuilder("Accounts")
                .set("Id")
                .to(1)
                .set("Balance")
                .to(balance)
                .build()));
    }

    private ByteString begin() {
        return calls.beginTransaction(BeginTransactionRequest.newBuilder()
                        .setSession(session)
                        .setOptions(TransactionOptions.newBuilder()
                                .setReadWrite(TransactionOptions.ReadWrite.getDefaultInstance()))
                        .build())
                .getId();
    }

    private void execute(ByteString transaction, String sql) {
        calls.executeSql(ExecuteSqlRequest.newBuilder()
                .setSession(session)
                .setTransaction(TransactionSelector.newBuilder().setId(transaction))
                .setSql(sql)
                .build());
    }

    private void commit(ByteString transaction) {
        calls.commit(CommitRequest.newBuilder()
                .setSession(session)
                .setTransactionId(transaction)
                .build());
    }

    private void abortOnce() {
        ByteString transaction = begin();
        execute(transaction, "SELECT Balance FROM Accounts WHERE Id = 1");
        writeBeside(20);
        assertThatThrownBy(() -> {
                    execute(transaction, "UPDATE Accounts SET Balance = Balance + 1 WHERE Id = 1");
                    commit(transaction);
                })
                .hasMessageContaining("ABORTED");
    }

    @Test
    void a_transaction_that_was_aborted_five_times_runs_alone() {
        for (int times = 0; times < 5; times++) {
            abortOnce();
        }
        ByteString alone = begin();
        execute(alone, "SELECT Balance FROM Accounts WHERE Id = 1");
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> writeBeside(20));
        assertThatThrownBy(() -> other.get(200, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        execute(alone, "UPDATE Accounts SET Balance = 7 WHERE Id = 1");
        commit(alone);
        other.join();
    }

    @Test
    void a_commit_ends_the_count_of_aborts() {
        for (int times = 0; times < 5; times++) {
            abortOnce();
        }
        commit(begin());
        abortOnce();
    }
}
