package dev.spream.storage.spanner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.MockSpannerServiceImpl.SimulatedExecutionTime;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Statement;
import com.google.spanner.v1.CommitRequest;
import com.google.spanner.v1.ResultSet;
import com.google.spanner.v1.TypeCode;
import dev.spream.core.StorageException;
import dev.spream.core.partition.PartitionToken;
import dev.spream.storage.spanner.client.DatabaseCalls;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The one writer of a storage, before a server that can be made to fail. */
@Timeout(60)
class GroupWriterIT {
    private static final Duration LONG = Duration.ofSeconds(30);

    private static final ResultSet TIME = WireRows.resultSet(
            "now", WireRows.type(TypeCode.TIMESTAMP), List.of(WireRows.string("2026-03-01T10:00:00Z")));

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private MockSpanner spanner;

    @BeforeEach
    void start() throws Exception {
        spanner = new MockSpanner(Dialect.GOOGLE_STANDARD_SQL);
        spanner.answer(Statement.of("SELECT CURRENT_TIMESTAMP"), TIME);
        String anyRow =
                "SELECT %s FROM T WHERE ID=1".formatted(String.join(", ", MetadataColumn.NAMES)); // as the mock has it
        spanner.answer(Statement.of(anyRow), TIME.toBuilder().clearRows().build());
    }

    @AfterEach
    void stop() {
        release.countDown();
        spanner.close();
    }

    private GroupWriter writer(Duration timeout) {
        MetadataTables tables = new MetadataTables("T", Dialect.GOOGLE_STANDARD_SQL);
        return new GroupWriter(
                spanner.client(), tables, new DatabaseCalls("database d table T", timeout), request -> {});
    }

    private static WriteOperation<Integer> number(int number) {
        return WriteOperation.on("writing " + number, Set.of(), transaction -> {
            transaction.write(
                    Mutation.newInsertBuilder("T").set("Id").to(number).build());
            return number;
        });
    }

    private static WriteOperation<Integer> refusing() {
        return WriteOperation.on("refusing", Set.of(), transaction -> {
            throw new IllegalArgumentException("it does not fit");
        });
    }

    /** Blocks the writer until it is released, so that other calls have to wait. */
    private WriteOperation<Integer> holding() {
        return WriteOperation.on("holding", Set.of(), transaction -> {
            begun.countDown();
            try {
                assertThat(release.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return 0;
        });
    }

    /** A call on a thread of its own, once it waits. */
    private static <T> FutureTask<T> waiting(GroupWriter writer, WriteOperation<T> operation) {
        FutureTask<T> call = new FutureTask<>(() -> writer.write(operation));
        Thread thread = new Thread(call);
        thread.start();
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
            Thread.onSpinWait();
        }
        return call;
    }

    /** Those numbers, written while the writer was held up. */
    private List<FutureTask<Integer>> together(GroupWriter writer, List<WriteOperation<Integer>> operations)
            throws InterruptedException {
        FutureTask<Integer> held = waiting(writer, holding());
        assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        List<FutureTask<Integer>> calls = new ArrayList<>();
        operations.forEach(operation -> calls.add(waiting(writer, operation)));
        release.countDown();
        assertThat(held).succeedsWithin(LONG);
        return calls;
    }

    private List<Integer> rowsOfCommits() {
        return spanner.service.getRequestsOfType(CommitRequest.class).stream()
                .map(commit -> commit.getMutationsList().stream()
                        .mapToInt(mutation -> mutation.getInsert().getValuesCount())
                        .sum())
                .toList();
    }

    private void failCommits(Status... failures) {
        List<Exception> exceptions = new ArrayList<>();
        for (Status failure : failures) {
            exceptions.add(new StatusRuntimeException(failure));
        }
        spanner.service.setCommitExecutionTime(SimulatedExecutionTime.ofExceptions(exceptions));
    }

    @Test
    void operations_that_arrive_during_a_transaction_are_written_in_the_next_one() throws Exception {
        List<FutureTask<Integer>> calls =
                together(writer(LONG), List.of(number(1), number(2), number(3), number(4), number(5)));
        for (int i = 0; i < calls.size(); i++) {
            assertThat(calls.get(i)).succeedsWithin(LONG).isEqualTo(i + 1);
        }
        assertThat(rowsOfCommits()).containsExactly(0, 5);
    }

    @Test
    void a_refused_operation_fails_its_caller_only() throws Exception {
        List<FutureTask<Integer>> calls = together(writer(LONG), List.of(number(1), refusing(), number(3)));
        assertThat(calls.get(0)).succeedsWithin(LONG).isEqualTo(1);
        assertThat(calls.get(1))
                .failsWithin(LONG)
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(IllegalArgumentException.class)
                .withMessageContaining("it does not fit");
        assertThat(calls.get(2)).succeedsWithin(LONG).isEqualTo(3);
        assertThat(rowsOfCommits()).containsExactly(0, 2);
    }

    @Test
    void an_operation_that_wants_to_be_alone_is() throws Exception {
        WriteOperation<Integer> alone = WriteOperation.alone("being alone", transaction -> 2);
        List<FutureTask<Integer>> calls = together(writer(LONG), List.of(number(1), alone, number(3), number(4)));
        calls.forEach(call -> assertThat(call).succeedsWithin(LONG));
        assertThat(rowsOfCommits()).containsExactly(0, 0, 3);
    }

    @Test
    void uncontended_operations_wait_for_one_contended_operation_at_most() throws Exception {
        GroupWriter writer = writer(LONG);
        List<WriteOperation<Integer>> operations = new ArrayList<>();
        for (String locked : List.of("a", "b", "c")) {
            PartitionToken row = new PartitionToken(locked);
            writer.lockedRows().waited(List.of(row));
            operations.add(WriteOperation.on("writing " + locked, Set.of(row), transaction -> 0));
        }
        operations.add(number(1));
        operations.add(number(2));
        together(writer, operations).forEach(call -> assertThat(call).succeedsWithin(LONG));
        assertThat(rowsOfCommits()).containsExactly(0, 0, 2, 0, 0);
    }

    @Test
    void a_row_that_was_locked_waits_for_its_turn_no_longer_than_its_call_may_take() throws Exception {
        GroupWriter writer = writer(LONG);
        PartitionToken row = new PartitionToken("a");
        writer.lockedRows().waited(List.of(row));
        var unused = waiting(writer, holding());
        assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();

        AtomicInteger runs = new AtomicInteger();
        DividedWrite<PartitionToken, Integer> write = new DividedWrite<>(
                writer,
                Duration.ofMillis(10),
                token -> token,
                part -> WriteOperation.each("counting", Set.copyOf(part), transaction -> runs.incrementAndGet()));
        assertThat(write.run(List.of(row)).busy()).containsExactly(row);
        release.countDown();
        assertThat(writer.write(number(1))).isEqualTo(1);
        assertThat(runs).hasValue(0);
    }

    @Test
    void an_aborted_transaction_runs_again_and_is_told_once() {
        failCommits(Status.ABORTED, Status.ABORTED);
        AtomicInteger runs = new AtomicInteger();
        int last = writer(LONG).write(WriteOperation.on("counting", Set.of(), transaction -> runs.incrementAndGet()));
        assertThat(last).isEqualTo(3);
    }

    @Test
    void one_that_spanner_refuses_does_not_take_the_others_with_it() throws Exception {
        GroupWriter writer = writer(LONG);
        FutureTask<Integer> held = waiting(writer, holding());
        assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        FutureTask<Integer> tooLarge = waiting(writer, number(1));
        FutureTask<Integer> other = waiting(writer, number(2));
        Status refusal = Status.INVALID_ARGUMENT.withDescription("The transaction contains too many mutations.");
        failCommits(refusal, refusal, refusal);
        release.countDown();

        assertThat(held).failsWithin(LONG);
        assertThat(tooLarge)
                .failsWithin(LONG)
                .withThrowableThat()
                .havingCause()
                .isInstanceOf(StorageException.class)
                .withMessageContaining("too many mutations")
                .satisfies(e -> assertThat(((StorageException) e).retryable()).isFalse());
        assertThat(other).succeedsWithin(LONG).isEqualTo(2);
    }

    @Test
    void a_failure_that_may_pass_is_told_as_such_to_all() throws Exception {
        spanner.service.setCommitExecutionTime(SimulatedExecutionTime.ofStickyException(
                new StatusRuntimeException(Status.RESOURCE_EXHAUSTED.withDescription("busy"))));
        assertThatThrownBy(() -> writer(Duration.ofSeconds(2)).write(number(1)))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("database d table T")
                .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
    }

    @Test
    void a_mistake_in_this_process_is_not_tried_again() {
        WriteOperation<Integer> broken = WriteOperation.on("breaking", Set.of(), transaction -> {
            throw new IllegalStateException("a mistake");
        });
        assertThatThrownBy(() -> writer(LONG).write(broken))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("a mistake")
                .satisfies(e -> assertThat(((StorageException) e).retryable()).isFalse());
    }

    @Test
    void a_client_that_was_closed_is_not_tried_again() {
        GroupWriter writer = writer(LONG);
        spanner.close();
        assertThatThrownBy(() -> writer.write(number(1)))
                .isInstanceOf(StorageException.class)
                .satisfies(e -> assertThat(((StorageException) e).retryable()).isFalse());
    }

    @Test
    void a_call_does_not_wait_for_ever_and_the_writer_recovers() {
        GroupWriter writer = writer(Duration.ofSeconds(3));
        assertThat(writer.write(number(1))).isEqualTo(1);
        spanner.service.freeze();
        assertThatThrownBy(() -> writer.write(number(2)))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("no answer")
                .satisfies(e -> assertThat(((StorageException) e).retryable()).isTrue());
        spanner.service.unfreeze();
        assertThat(writer.write(number(3))).isEqualTo(3);
    }

    @Test
    void an_interrupted_call_returns_at_once_with_its_flag_set_and_is_left_out() throws Exception {
        GroupWriter writer = writer(LONG);
        FutureTask<Integer> held = waiting(writer, holding());
        assertThat(begun.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        FutureTask<Boolean> interrupted = new FutureTask<>(() -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> writer.write(number(1)))
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("interrupted");
            return Thread.currentThread().isInterrupted();
        });
        Thread.ofPlatform().start(interrupted);
        assertThat(interrupted).succeedsWithin(LONG).isEqualTo(true);
        release.countDown();
        assertThat(held).succeedsWithin(LONG);
        assertThat(writer.write(number(2))).isEqualTo(2);
        assertThat(rowsOfCommits()).containsExactly(0, 1);
    }
}
