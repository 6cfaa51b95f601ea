package dev.spream.emulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.BatchClient;
import com.google.cloud.spanner.BatchReadOnlyTransaction;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.DatabaseId;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.MutationGroup;
import com.google.cloud.spanner.Partition;
import com.google.cloud.spanner.PartitionOptions;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.TimestampBound;
import com.google.rpc.Code;
import com.google.spanner.v1.BatchWriteResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Partitioned queries and reads, and groups of mutations, through the real client. */
@Timeout(60)
class BatchCallsIT {
    private EmulatedSpanner spanner;
    private DatabaseId id;

    @BeforeEach
    void start() throws Exception {
        spanner = EmulatedSpanner.ours();
        id = spanner.createDatabase(Dialect.GOOGLE_STANDARD_SQL, EmulatedSpanner.ACCOUNTS);
        DatabaseClient database = spanner.connect(id);
        for (long account = 1; account <= 5; account++) {
            database.write(List.of(EmulatedSpanner.account(account, "o" + account, account)));
        }
    }

    @AfterEach
    void stop() {
        spanner.close();
    }

    private static List<Long> ids(BatchReadOnlyTransaction transaction, List<Partition> partitions) {
        List<Long> ids = new ArrayList<>();
        for (Partition partition : partitions) {
            try (ResultSet rows = transaction.execute(partition)) {
                while (rows.next()) {
                    ids.add(rows.getLong("Id"));
                }
            }
        }
        return ids;
    }

    @Test
    void the_partitions_of_a_query_have_each_row_once_as_of_one_time() {
        BatchClient client = spanner.client().getBatchClient(id);
        try (BatchReadOnlyTransaction transaction = client.batchReadOnlyTransaction(TimestampBound.strong())) {
            List<Partition> partitions = transaction.partitionQuery(
                    PartitionOptions.getDefaultInstance(),
                    Statement.newBuilder("SELECT Id FROM Accounts WHERE Balance > @least")
                            .bind("least")
                            .to(1)
                            .build());
            spanner.connect(id).write(List.of(EmulatedSpanner.account(9, "late", 9)));
            assertThat(partitions).hasSizeGreaterThan(1);
            assertThat(ids(transaction, partitions)).containsExactlyInAnyOrder(2L, 3L, 4L, 5L);
        }
    }

    @Test
    void the_partitions_of_a_read_have_each_row_once() {
        BatchClient client = spanner.client().getBatchClient(id);
        try (BatchReadOnlyTransaction transaction = client.batchReadOnlyTransaction(TimestampBound.strong())) {
            List<Partition> partitions = transaction.partitionRead(
                    PartitionOptions.getDefaultInstance(), "Accounts", KeySet.all(), List.of("Id", "Balance"));
            assertThat(ids(transaction, partitions)).containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L);
        }
    }

    @Test
    void a_query_that_cannot_run_has_no_partitions() {
        BatchClient client = spanner.client().getBatchClient(id);
        try (BatchReadOnlyTransaction transaction = client.batchReadOnlyTransaction(TimestampBound.strong())) {
            assertThatThrownBy(() -> transaction.partitionQuery(
                            PartitionOptions.getDefaultInstance(), Statement.of("SELECT Missing FROM Accounts")))
                    .hasMessageContaining("INVALID_ARGUMENT");
        }
    }

    @Test
    void a_query_that_may_not_be_partitionable_has_no_partitions_unless_a_hint_says_that_it_is() {
        String sql = "SELECT Owner, COUNT(*) FROM Accounts GROUP BY Owner";
        BatchClient client = spanner.client().getBatchClient(id);
        try (BatchReadOnlyTransaction transaction = client.batchReadOnlyTransaction(TimestampBound.strong())) {
            assertThatThrownBy(
                            () -> transaction.partitionQuery(PartitionOptions.getDefaultInstance(), Statement.of(sql)))
                    .hasMessageContaining("INVALID_ARGUMENT")
                    .hasMessageContaining("Query is not a simple table scan");
            assertThat(transaction.partitionQuery(
                            PartitionOptions.getDefaultInstance(),
                            Statement.of("@{spanner_emulator.disable_query_partitionability_check=true} " + sql)))
                    .isNotEmpty();
        }
    }

    @Test
    void a_group_of_mutations_that_fails_leaves_the_others_committed() {
        List<BatchWriteResponse> responses = new ArrayList<>();
        spanner.connect(id)
                .batchWriteAtLeastOnce(List.of(
                        MutationGroup.of(
                                EmulatedSpanner.account(10, "ten", 10), EmulatedSpanner.account(11, "eleven", 11)),
                        MutationGroup.of(EmulatedSpanner.account(1, "taken", 1)),
                        MutationGroup.of(EmulatedSpanner.account(12, "twelve", 12))))
                .forEach(responses::add);
        assertThat(responses)
                .extracting(response -> Code.forNumber(response.getStatus().getCode()))
                .containsExactly(Code.OK, Code.ALREADY_EXISTS, Code.OK);
        assertThat(responses).extracting(response -> response.getIndexes(0)).containsExactly(0, 1, 2);
        assertThat(responses.getFirst().hasCommitTimestamp()).isTrue();
        assertThat(EmulatedSpanner.query(spanner.connect(id), "SELECT Id FROM Accounts WHERE Id >= 10 ORDER BY Id"))
                .extracting(row -> row.getLong(0))
                .containsExactly(10L, 11L, 12L);
    }
}
