package dev.spream.storage.jdbc.deadletter;

import static dev.spream.testkit.consume.Changes.key;
import static dev.spream.testkit.consume.DeadLetters.behind;
import static dev.spream.testkit.consume.DeadLetters.failed;
import static dev.spream.testkit.consume.DeadLetters.parked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.DeadLetterException;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.ReplayResult;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.record.RecordIdentity;
import dev.spream.servers.JavaCommand;
import dev.spream.storage.jdbc.TestDatabase;
import dev.spream.testkit.consume.Changes;
import dev.spream.testkit.consume.DeadLetters;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Dead letters of one subscription in several processes: two workers, and a replay. */
final class SharedLettersIT {
    private static final long BOUND_NANOS = 20_000_000_000L;

    private static TestDatabase database;

    private CountingDataSource connections;
    private JdbcFixture fixture;
    private JdbcDeadLetterStore one;
    private JdbcDeadLetterStore other;

    @BeforeAll
    static void open() {
        database = new TestDatabase();
    }

    @AfterAll
    static void close() {
        database.close();
    }

    @BeforeEach
    void openStores() throws InterruptedException {
        connections = new CountingDataSource(database.dataSource());
        fixture = new JdbcFixture(connections);
        one = fixture.sink();
        other = fixture.another();
    }

    @Test
    void a_delivery_costs_no_statement_unless_a_letter_of_its_key_may_be_open() throws Exception {
        one.parkedKeys(lease(1));
        one.accept(failed(Changes.of(1, "A")));
        one.accept(parked(Changes.of(2, "B")));
        int before = connections.taken();
        for (int second = 3; second < 1_000; second++) {
            one.delivering(Changes.of(second, "C", "D"));
        }
        assertThat(connections.taken()).isEqualTo(before);

        one.delivering(Changes.of(1_000, "A"));
        assertThat(connections.taken()).isGreaterThan(before);
        assertThat(isOvertaken(other, 1)).isTrue();
    }

    @Test
    void deliveries_cost_nothing_again_once_the_letters_are_resolved() throws Exception {
        one.accept(failed(Changes.of(1, "A")));
        one.delivering(Changes.of(2, "A"));
        assertThat(other.discard(identity(1))).isTrue();
        one.delivering(Changes.of(3, "A"));
        int before = connections.taken();
        one.delivering(Changes.of(4, "A"));
        assertThat(connections.taken()).isEqualTo(before);
    }

    @Test
    void a_new_owner_of_a_partition_knows_its_stored_letters() throws Exception {
        other.delivering(Changes.of(0, "A")); // it has looked, and found nothing
        one.parkedKeys(lease(1));
        one.accept(failed(Changes.of(1, "A")));
        other.parkedKeys(lease(2));
        other.delivering(Changes.of(2, "A"));
        assertThat(isOvertaken(one, 1)).isTrue();
    }

    @Test
    void a_former_owner_of_a_partition_stores_no_letters() throws Exception {
        one.parkedKeys(lease(1));
        other.parkedKeys(lease(2));
        assertThatThrownBy(() -> one.accept(failed(Changes.of(1, "A"))))
                .isInstanceOf(DeadLetterException.class)
                .hasMessageContaining("taken over by another worker");
        assertThatThrownBy(() -> one.accept(parked(Changes.of(1, "A")))).isInstanceOf(DeadLetterException.class);
        assertThat(one.openLetters()).isEmpty();
        assertThat(one.parkedKeys()).isEmpty();
        other.accept(failed(Changes.of(1, "A")));
        assertThat(one.openLetters()).hasSize(1);
    }

    @Test
    void a_letter_is_kept_before_a_partition_is_taken_over_or_not_at_all() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 1; round <= 40; round++) {
                int second = 2 * round;
                String id = "A" + round;
                one.parkedKeys(lease(2L * round));
                CyclicBarrier start = new CyclicBarrier(2);
                Future<Boolean> kept = threads.submit(() -> {
                    start.await();
                    return accepts(one, second, id);
                });
                start.await();
                other.parkedKeys(lease(2L * round + 1));
                other.delivering(Changes.of(second + 1, id));
                if (kept.get()) {
                    assertThat(isOvertaken(one, second)).as("round %d", round).isTrue();
                }
            }
        }
        assertThat(one.openLetters()).allMatch(DeadLetterStore.Entry::overtaken);
    }

    private static boolean accepts(DeadLetterStore store, long second, String id) throws Exception {
        try {
            store.accept(failed(Changes.of(second, id)));
            return true;
        } catch (DeadLetterException e) {
            return false;
        }
    }

    @Test
    void a_claim_holds_in_all_processes() throws Exception {
        one.accept(failed(Changes.of(1, "A", "B")));
        other.parkedKeys(lease(2));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Boolean> delivered;
            try (DeadLetterStore.Claim claim = one.claim(identity(1), false).orElseThrow()) {
                assertThat(other.claim(identity(1), true)).isEmpty();
                assertThat(other.discard(identity(1))).isFalse();
                Callable<Boolean> delivering = () -> {
                    other.delivering(Changes.of(2, "B"));
                    return fixture.another().openLetters().isEmpty();
                };
                delivered = threads.submit(delivering);
                other.delivering(Changes.of(2, "C"));
                claim.replayed();
            }
            assertThat(delivered.get()).as("the delivery waited for the replay").isTrue();
        }
    }

    private static List<String> command(Class<?> program, String... arguments) {
        List<String> command = JavaCommand.of(program);
        command.addAll(List.of(arguments));
        return command;
    }

    @Test
    void a_claim_ends_when_its_process_is_killed() throws Exception {
        one.accept(failed(Changes.of(1, "A")));
        Process holder = new ProcessBuilder(command(ClaimHolder.class, database.url(), fixture.subscription()))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(holder.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(out.lines().filter(line -> line.startsWith("claimed")).findFirst())
                    .isPresent();
            assertThat(one.claim(identity(1), false)).isEmpty();
        } finally {
            holder.destroyForcibly().waitFor(); // SIGKILL
        }
        try (DeadLetterStore.Claim claim = awaitClaim(1)) {
            claim.replayed();
        }
        assertThat(one.openLetters()).isEmpty();
    }

    @Test
    void a_replay_that_is_killed_in_the_middle_of_a_batch_loses_nothing_and_keeps_each_key_in_order() throws Exception {
        int changes = 60;
        for (int second = 1; second <= changes; second++) {
            String[] ids = {"A" + second % 5, "A" + (second + 1) % 5};
            one.accept(second <= 5 ? parked(Changes.of(second, ids)) : behind(Changes.of(second, ids)));
        }
        List<Integer> taken = new ArrayList<>();
        Process replaying = new ProcessBuilder(
                        command(BlockedReplay.class, database.url(), fixture.subscription(), "40"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader out = replaying.inputReader()) {
            for (String line; (line = out.readLine()) != null && !line.equals("stuck"); ) {
                if (line.startsWith("taken ")) {
                    taken.add(Integer.parseInt(line.substring(6)));
                }
            }
        } finally {
            replaying.destroyForcibly().waitFor(); // SIGKILL
        }
        assertThat(taken).hasSize(39);
        assertThat(one.openLetters()).as("nothing of the batch was resolved").hasSize(changes);
        awaitClaim(1).close();

        ReplayResult result = DeadLetterReplay.of(
                        one, (ChangeHandler) change -> taken.add(BlockedReplay.second(change)))
                .all();

        assertThat(result.isComplete()).isTrue();
        assertThat(taken)
                .containsExactlyElementsOf(
                        IntStream.concat(IntStream.rangeClosed(1, 39), IntStream.rangeClosed(1, changes))
                                .boxed()
                                .toList());
        assertThat(one.openLetters()).isEmpty();
        assertThat(one.parkedKeys()).isEmpty();
    }

    private DeadLetterStore.Claim awaitClaim(long second) throws Exception {
        long deadline = System.nanoTime() + BOUND_NANOS;
        while (System.nanoTime() - deadline < 0) {
            Optional<DeadLetterStore.Claim> claim = one.claim(identity(second), false);
            if (claim.isPresent()) {
                return claim.get();
            }
            LockSupport.parkNanos(10_000_000);
        }
        throw new AssertionError("the claim of the killed process did not end");
    }

    @Test
    void a_claim_that_was_lost_resolves_nothing() throws Exception {
        one.accept(failed(Changes.of(1, "A")));
        try (DeadLetterStore.Claim claim = one.claim(identity(1), false).orElseThrow()) {
            database.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()");
            assertThatThrownBy(claim::replayed)
                    .isInstanceOf(StorageException.class)
                    .hasMessageContaining("may be replayed again");
        }
        assertThat(one.openLetters()).hasSize(1);
        other.claim(identity(1), false).orElseThrow().close();
    }

    @Test
    void a_change_goes_behind_its_key_before_the_release_or_is_delivered_after_it() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 1; round <= 40; round++) {
                int second = round;
                String id = "A" + round;
                one.accept(parked(Changes.of(2L * second, id)));
                assertThat(one.discard(identity(2L * second))).isTrue();
                CyclicBarrier start = new CyclicBarrier(2);
                Future<Boolean> behind = threads.submit(() -> {
                    start.await();
                    return one.acceptIfParked(behind(Changes.of(2L * second + 1, id)));
                });
                start.await();
                boolean released = other.release(Set.of(key(id)));
                assertThat(behind.get()).as("round %d", round).isNotEqualTo(released);
                assertThat(one.parkedKeys().contains(key(id))).isNotEqualTo(released);
            }
        }
    }

    @Test
    void letters_of_keys_that_cross_are_kept_and_passed() throws Exception {
        int changes = 50;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> forth = threads.submit(() -> keepAll(one, 0, changes, "A", "B", "C"));
            Future<?> back = threads.submit(() -> keepAll(other, changes, 2 * changes, "C", "B", "A"));
            forth.get();
            back.get();
        }
        assertThat(one.openLetters()).hasSize(2 * changes);
    }

    private static Void keepAll(DeadLetterStore store, int from, int to, String... ids) throws Exception {
        for (int second = from; second < to; second++) {
            store.delivering(Changes.of(second, ids));
            store.accept(failed(Changes.of(second, ids)));
        }
        return null;
    }

    @Test
    void a_change_of_very_many_keys_is_kept_and_replayed() throws Exception {
        String[] ids = new String[20_000];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = "A" + i;
        }
        one.accept(failed(Changes.of(1, ids)));
        other.parkedKeys(lease(2));
        other.delivering(Changes.of(2, "A19999"));
        assertThat(isOvertaken(one, 1)).isTrue();
        try (DeadLetterStore.Claim claim = one.claim(identity(1), true).orElseThrow()) {
            claim.replayed();
        }
        assertThat(one.openLetters()).isEmpty();
    }

    @Test
    void ten_thousand_letters_of_a_key_that_as_many_changes_passed_are_counted_within_the_time_of_a_statement()
            throws Exception {
        int copies = 10_000;
        one.accept(failed(Changes.of(1, "A")));
        one.delivering(Changes.of(2, "A"));
        database.execute(
                """
                INSERT INTO spream.dead_letters (subscription, commit_timestamp, server_transaction_id, record_sequence,
                    reason, letter, kept_at)
                SELECT subscription, commit_timestamp + 2 * n, server_transaction_id, record_sequence, reason, letter, kept_at
                FROM spream.dead_letters, generate_series(1, %d) AS n WHERE subscription = '%s'""".formatted(copies, fixture.subscription()), """
                INSERT INTO spream.dead_letter_keys
                SELECT l.id, k.key_hash, k.subscription, k.failed, l.commit_timestamp, k.server_transaction_id,
                    k.record_sequence, k.table_name, k.key
                FROM spream.dead_letters l JOIN spream.dead_letter_keys k USING (subscription)
                WHERE l.subscription = '%s' AND l.id <> k.letter_id""".formatted(fixture.subscription()), """
                INSERT INTO spream.dead_letter_passes
                SELECT key_hash, subscription, commit_timestamp + 2 * n, server_transaction_id, record_sequence
                FROM spream.dead_letter_passes, generate_series(1, %d) AS n WHERE subscription = '%s'""".formatted(
                                copies, fixture.subscription()));
        one.accept(failed(Changes.of(3 * copies, "A")));
        assertThat(one.counts()).isEqualTo(new DeadLetterStore.Counts(copies + 2, copies + 1, 0, 0, 0));
    }

    @Test
    void subscriptions_keep_their_letters_apart() throws Exception {
        JdbcFixture neighbour = new JdbcFixture(database.dataSource());
        one.accept(parked(Changes.of(1, "A")));
        assertThat(neighbour.sink().openLetters()).isEmpty();
        assertThat(neighbour.sink().parkedKeys()).isEmpty();
        assertThat(neighbour.sink().acceptIfParked(behind(Changes.of(2, "A")))).isFalse();
        assertThat(neighbour.sink().discard(identity(1))).isFalse();
        neighbour.sink().accept(failed(Changes.of(1, "A")));
        neighbour.sink().delivering(Changes.of(2, "A"));
        try (DeadLetterStore.Claim claim = one.claim(identity(1), false).orElseThrow()) {
            assertThat(neighbour.sink().claim(identity(1), true))
                    .isPresent()
                    .hasValueSatisfying(DeadLetterStore.Claim::close);
            claim.replayed();
        }
        assertThat(neighbour.sink().openLetters()).hasSize(1);
    }

    @Test
    void resolved_letters_stay_for_the_time_that_was_asked_for() throws Exception {
        one.accept(failed(Changes.of(1, "A")));
        one.accept(failed(Changes.of(2, "B")));
        assertThat(one.discard(identity(1))).isTrue();
        fixture.another();
        assertThat(fixture.rows()).isEqualTo(2);
        JdbcDeadLetterStore.builder(database.dataSource(), fixture.subscription())
                .resolvedRetention(Duration.ZERO)
                .build();
        assertThat(fixture.rows()).isEqualTo(1);
        assertThat(one.openLetters()).hasSize(1);
    }

    @Test
    void a_delivery_that_waits_can_be_interrupted_and_ends_when_the_store_is_closed() throws Exception {
        one.accept(failed(Changes.of(1, "A")));
        other.parkedKeys(lease(2));
        try (DeadLetterStore.Claim claim = one.claim(identity(1), false).orElseThrow()) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> other.delivering(Changes.of(2, "A"))).isInstanceOf(InterruptedException.class);
            assertThat(claim.letter().change()).isEqualTo(Changes.of(1, "A"));
            other.close();
            assertThatThrownBy(() -> other.delivering(Changes.of(2, "A")))
                    .isInstanceOf(DeadLetterException.class)
                    .hasMessageContaining("closed");
        }
    }

    private static PartitionLease lease(long epoch) {
        return new PartitionLease(DeadLetters.PARTITION, new WorkerId("ann"), epoch, Changes.START);
    }

    private static RecordIdentity identity(long second) {
        return Changes.of(second, "A").identity();
    }

    private static boolean isOvertaken(DeadLetterStore store, long second) throws Exception {
        return store.openLetters().stream()
                .filter(letter -> letter.identity().equals(identity(second)))
                .findFirst()
                .orElseThrow()
                .overtaken();
    }
}
