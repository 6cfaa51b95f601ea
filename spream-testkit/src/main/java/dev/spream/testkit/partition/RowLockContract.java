package dev.spream.testkit.partition;

import static dev.spream.testkit.partition.StorageScenario.ANN;
import static dev.spream.testkit.partition.StorageScenario.LEASE;
import static dev.spream.testkit.partition.StorageScenario.MOMENT;
import static dev.spream.testkit.partition.StorageScenario.at;
import static dev.spream.testkit.partition.StorageScenario.token;
import static dev.spream.testkit.partition.StorageScenario.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.spream.core.StorageException;
import dev.spream.core.partition.BusyPartitionsException;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/**
 * The contract of a {@link PartitionStorage} whose rows another session can lock, in addition to {@link
 * PartitionStorageContract}: one locked row blocks no other partition. A storage without such locks does not extend it.
 */
public abstract class RowLockContract extends StorageContract<RowLockFixture> {
    private static final int HUNDREDS = 300;
    private static final int MOST_ROUNDS = 20;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @Test
    public final void watermarks_pass_over_a_locked_row_and_name_it_beside_those_that_are_lost() throws Exception {
        given().created("a", "b", "c", "d");
        PartitionLease stale = given().staleLease("d");
        List<PartitionLease> leases = List.of(running("a"), running("b"), running("c"), stale);
        List<WatermarkAdvance> advances =
                leases.stream().map(lease -> new WatermarkAdvance(lease, at(5))).toList();

        try (RowLockFixture.RowLock locked = fixture().lockRow(token("a"))) {
            BusyPartitionsException outcome = busy(() -> given().storage().advanceWatermarks(advances));

            assertThat(outcome.busy()).containsExactly(token("a"));
            assertThat(outcome.lost()).containsExactly(token("d"));
            assertThat(outcome.retryable()).isTrue();
            assertThat(given().partition("b").watermark()).isEqualTo(at(5));
            assertThat(given().partition("c").watermark()).isEqualTo(at(5));
            assertThat(given().partition("a").watermark()).isEqualTo(at(1));
        }
        assertThat(given().storage().advanceWatermarks(advances)).containsExactly(token("d"));
        assertThat(given().partition("a").watermark()).isEqualTo(at(5));
    }

    @Test
    public final void leases_are_renewed_and_given_back_and_acquired_beside_a_locked_row() throws Exception {
        given().created("a", "b", "c");
        List<PartitionLease> leases = List.of(running("a"), running("b"), running("c"));
        given().passTime(LEASE.minus(MOMENT));

        try (RowLockFixture.RowLock locked = fixture().lockRow(token("b"))) {
            assertThat(busy(() -> given().storage().renew(leases, LEASE)).busy())
                    .containsExactly(token("b"));
        }
        given().passTime(MOMENT.multipliedBy(2));
        assertThat(given().partition("a").leaseLive()).isTrue();
        assertThat(given().partition("b").leaseLive()).isFalse();
        assertThat(given().partition("c").leaseLive()).isTrue();

        try (RowLockFixture.RowLock locked = fixture().lockRow(token("b"))) {
            assertThat(busy(() -> given().storage().release(leases)).busy()).containsExactly(token("b"));
            assertThat(given().partition("a").owner()).isEmpty();
            assertThat(given().partition("b").owner()).isPresent();

            List<PartitionClaim> claims = Stream.of("a", "b", "c")
                    .map(given()::partition)
                    .map(PartitionClaim::of)
                    .toList();
            assertThat(given().storage().acquire(ANN, claims, LEASE))
                    .extracting(PartitionLease::token)
                    .containsExactlyElementsOf(tokens("a", "c"));
        }
        assertThat(given().tryAcquire(ANN, "b")).hasSize(1);
    }

    @Test
    public final void one_locked_row_of_hundreds_is_soon_the_only_one_that_is_busy() throws Exception {
        String[] names =
                IntStream.range(0, HUNDREDS).mapToObj("p%03d"::formatted).toArray(String[]::new);
        given().created(names);
        List<PartitionClaim> claims = given().storage().frontier().partitions().stream()
                .filter(partition -> !partition.isFinished())
                .map(PartitionClaim::of)
                .toList();
        List<PartitionLease> leases = given().storage().acquire(ANN, claims, LEASE);
        assertThat(leases).hasSize(HUNDREDS);
        PartitionToken one = token(names[HUNDREDS / 2 + 7]);

        try (RowLockFixture.RowLock locked = fixture().lockRow(one)) {
            int round = 1;
            while (!renewTwice(leases).equals(List.of(Set.of(one), Set.of(one)))) {
                assertThat(round++).as("rounds without an end").isLessThan(MOST_ROUNDS);
            }
            assertThat(locked.waits())
                    .as("requests that waited for the row in %d rounds of two calls", round)
                    .isLessThanOrEqualTo(5 + 3 * round); // splitting in halves, one call makes ten
        }
        assertThat(given().storage().renew(leases, LEASE)).isEmpty();
    }

    /** Returns the partitions that are busy for each of two concurrent callers. */
    private List<Set<PartitionToken>> renewTwice(List<PartitionLease> leases) {
        return Stream.generate(() -> CompletableFuture.supplyAsync(
                        () -> busy(() -> given().storage().renew(leases, LEASE)).busy(), Thread::startVirtualThread))
                .limit(2)
                .toList()
                .stream()
                .map(call -> assertThat(call).succeedsWithin(TIMEOUT).actual())
                .toList();
    }

    @Test
    public final void a_call_does_not_wait_for_each_of_many_locked_rows() throws Exception {
        List<String> names = List.of("a", "b", "c", "d", "e", "f");
        given().created(names.toArray(String[]::new));
        List<PartitionLease> leases = names.stream().map(this::running).toList();
        List<RowLockFixture.RowLock> locks = new ArrayList<>();
        try {
            for (String name : names) {
                locks.add(fixture().lockRow(token(name)));
            }
            assertThat(busy(() -> given().storage().renew(leases, LEASE)).busy())
                    .hasSize(names.size());
            assertThat(locks)
                    .as("locked rows for which the call has waited once more, alone")
                    .anyMatch(locked -> locked.waits() < 2);
        } finally {
            locks.forEach(RowLockFixture.RowLock::close);
        }
        assertThat(given().storage().renew(leases, LEASE)).isEmpty();
    }

    @Test
    public final void an_end_that_waits_for_its_locked_row_holds_up_no_other_partition() throws Exception {
        given().created("a", "b", "c");
        List<PartitionLease> others = List.of(running("a"), running("c"));
        PartitionLease b = running("b");
        CompletableFuture<Boolean> end;
        Semaphore rounds = new Semaphore(0);

        try (RowLockFixture.RowLock locked = fixture().lockRow(token("b"))) {
            CountDownLatch asked = new CountDownLatch(1);
            end = CompletableFuture.supplyAsync(
                    () -> {
                        asked.countDown();
                        return finished(b, rounds);
                    },
                    Thread::startVirtualThread);
            asked.await();
            for (int second = 2; second <= 5; second++) {
                Instant moved = at(second);
                rounds.release();
                assertThat(given().storage().renew(others, LEASE)).isEmpty();
                assertThat(given().storage()
                                .advanceWatermarks(others.stream()
                                        .map(lease -> new WatermarkAdvance(lease, moved))
                                        .toList()))
                        .isEmpty();
            }
            assertThat(end).isNotDone();
        }
        rounds.release(100);
        assertThat(end).succeedsWithin(TIMEOUT).isEqualTo(true);
        assertThat(given().partition("b").isFinished()).isTrue();
        assertThat(given().partition("a").watermark()).isEqualTo(at(5));
    }

    /** Finishes the partition, retried after a retryable failure as by the engine, once for each round. */
    private boolean finished(PartitionLease lease, Semaphore rounds) {
        while (true) {
            try {
                return given().storage().finish(lease, at(9), PartitionEnd.boundedEnd(at(9)));
            } catch (StorageException e) {
                if (!e.retryable()) {
                    throw e;
                }
                rounds.acquireUninterruptibly();
            }
        }
    }

    private PartitionLease running(String token) {
        return given().running(ANN, token);
    }

    private static BusyPartitionsException busy(ThrowingCallable call) {
        BusyPartitionsException thrown = catchThrowableOfType(BusyPartitionsException.class, call);
        assertThat(thrown).as("the busy partitions of a batch").isNotNull();
        return thrown;
    }
}
