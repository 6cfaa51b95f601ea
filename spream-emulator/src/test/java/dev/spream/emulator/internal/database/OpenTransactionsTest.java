package dev.spream.emulator.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.Struct;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.control.FaultRates;
import dev.spream.emulator.control.PartitionChurn;
import dev.spream.emulator.internal.sql.SqlParameters;
import dev.spream.emulator.internal.stream.StreamSettings;
import io.grpc.StatusRuntimeException;
import java.sql.Connection;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the end of transactions; what waits for one that has not ended does so for half a minute. */
@Timeout(15)
class OpenTransactionsTest {
    private static final SqlParameters NONE = new SqlParameters(Struct.getDefaultInstance(), Map.of());

    private EmulatedDatabase database;

    @BeforeEach
    void create() {
        database = new EmulatedDatabase(
                "projects/p/instances/i/databases/d",
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                InstantSource.system(),
                StreamSettings.of(PartitionChurn.none(), FaultRates.none()),
                0);
        alter("CREATE TABLE T (Id INT64 NOT NULL, V INT64) PRIMARY KEY (Id)");
        ReadWriteTransaction transaction = begin();
        execute(transaction, "INSERT INTO T (Id, V) VALUES (1, 0)");
        transaction.commit(List.of(), "");
    }

    private void alter(String ddl) {
        database.applyDdl(List.of(ddl), ByteString.EMPTY);
    }

    private ReadWriteTransaction begin() {
        return database.transactions().begin("", false, ByteString.EMPTY);
    }

    private void execute(ReadWriteTransaction transaction, String dml) {
        database.dml(dml, NONE, transaction, false);
    }

    private Optional<String> failure(ByteString transaction) {
        try {
            database.transactions().context(transaction);
            return Optional.empty();
        } catch (StatusRuntimeException e) {
            return Optional.ofNullable(e.getMessage());
        }
    }

    @Test
    void a_transaction_that_cannot_begin_keeps_no_schema_change_waiting() throws Exception {
        Connection broken = database.engine().writer();
        broken.close();
        database.engine().release(broken);
        ReadWriteTransaction transaction = begin();
        assertThatThrownBy(() -> execute(transaction, "UPDATE T SET V = 1 WHERE Id = 1"))
                .isInstanceOf(StatusRuntimeException.class);
        alter("ALTER TABLE T ADD COLUMN W INT64");
        execute(transaction, "UPDATE T SET W = 1 WHERE Id = 1");
        transaction.rollback();
        database.close();
    }

    @Test
    void too_many_read_only_transactions_end_the_longest_idle_one_and_name_the_limit() throws Exception {
        List<Snapshot> snapshots = Stream.generate(() -> database.transactions().beginReadOnly(Optional.empty()))
                .limit(129)
                .toList();
        ByteString first = snapshots.getFirst().id();
        Optional<String> failure = Optional.empty();
        while (failure.isEmpty()) {
            Thread.sleep(10);
            failure = failure(first);
        }
        assertThat(failure.get()).contains("Transaction not found").contains("more than 128 are open");
        assertThat(database.transactions().context(snapshots.getLast().id())).isNotNull();
        database.close();
    }

    @Test
    void closing_ends_the_waits_for_rows() throws Exception {
        execute(begin(), "UPDATE T SET V = 1 WHERE Id = 1");
        List<ReadWriteTransaction> waiting =
                Stream.generate(this::begin).limit(4).toList();
        List<Thread> threads = waiting.stream()
                .map(each -> Thread.startVirtualThread(() -> execute(each, "UPDATE T SET V = V + 1 WHERE Id = 1")))
                .toList();
        while (waiting.stream().anyMatch(each -> each.blocker() == 0)) {
            Thread.sleep(10);
        }
        database.close();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(waiting).allMatch(ReadWriteTransaction::isOver);
    }
}
