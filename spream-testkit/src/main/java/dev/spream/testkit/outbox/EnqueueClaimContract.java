package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.BOB;
import static dev.spream.testkit.outbox.OutboxScenario.message;
import static dev.spream.testkit.outbox.OutboxScenario.messageBuilder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.EnqueueResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import dev.spream.outbox.OutboxTransaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The contract of {@link OutboxTransaction}: entries are claimed as they are enqueued where a worker has room. */
interface EnqueueClaimContract<T> extends OutboxScenario.Stage<T> {
    long PATIENCE = TimeUnit.SECONDS.toNanos(30);

    /** A worker with a fixed number of free slots, which holds what it is given. */
    final class Worker implements OutboxStore.Watcher {
        final List<OutboxClaim> started = new ArrayList<>();
        int free;
        boolean stopped;
        int reserved;
        String destination = "";

        @Override
        public void wake() {}

        @Override
        public Optional<ClaimRoom> reserve(String destination, int limit) {
            int slots = destination.equals(this.destination) ? Math.min(limit, free) : 0;
            reserved += slots;
            free -= slots;
            return slots == 0 ? Optional.empty() : Optional.of(new Room(slots));
        }

        private final class Room implements ClaimRoom {
            private final int size;
            private int held;
            private List<OutboxClaim> claims = List.of();

            private Room(int size) {
                this.size = size;
                this.held = size;
            }

            @Override
            public OutboxOwner owner() {
                return ANN;
            }

            @Override
            public Duration lease() {
                return OutboxScenario.LEASE;
            }

            @Override
            public int size() {
                return size;
            }

            @Override
            public void hold(List<OutboxClaim> claimed) {
                assertThat(claimed).hasSizeLessThanOrEqualTo(size);
                claims = claimed;
                free += held - claimed.size();
                held = claimed.size();
            }

            @Override
            public boolean start() {
                held = 0;
                if (!stopped) {
                    started.addAll(claims);
                }
                return !stopped;
            }

            @Override
            public void close() {
                free += held;
                held = 0;
            }
        }
    }

    /** Runs a test with a worker that has that many free slots, once enqueues are offered to it. */
    private void withWorker(int slots, Consumer<Worker> test) {
        Worker worker = new Worker();
        try (OutboxStore.Watch watch = given().store().watch(worker)) {
            assertThat(watch).isNotNull();
            long until = System.nanoTime() + PATIENCE;
            for (int i = 0; worker.reserved == 0; i++) {
                assertThat(System.nanoTime() - until)
                        .as("not offered to the worker")
                        .isNegative();
                worker.free = 1;
                String probe = "probe-" + i;
                rollBack(messages -> messages.enqueue(message(probe)));
                LockSupport.parkNanos(10_000_000);
            }
            worker.free = slots;
            worker.reserved = 0;
            test.accept(worker);
        }
    }

    @Test
    default void entries_of_another_destination_and_delayed_ones_are_not_claimed() {
        withWorker(5, worker -> {
            worker.destination = "mail";
            committed(
                    messageBuilder("delayed")
                            .destination("mail")
                            .afterDelay(Duration.ofHours(1))
                            .build(),
                    messageBuilder("letter").destination("mail").build(),
                    message("plain"),
                    messageBuilder("parcel").destination("post").build());
            assertThat(worker.started)
                    .extracting(claim -> claim.entry().idempotencyKey())
                    .containsExactly("letter");
            assertThat(worker.started.getFirst().entry().destination()).isEqualTo("mail");
            assertThat(worker.free).isEqualTo(4 + 1 - worker.started.size());
        });
    }

    /** Enqueues in a transaction and reports its commit. */
    private List<EnqueueResult> committed(OutboxMessage... messages) {
        T transaction = given().fixture().begin();
        try (OutboxTransaction enqueued = given().outbox().begin(transaction)) {
            List<EnqueueResult> results = enqueued.enqueueAll(List.of(messages));
            given().fixture().commit(transaction);
            enqueued.committed();
            return results;
        }
    }

    private void rollBack(Consumer<OutboxTransaction> work) {
        T transaction = given().fixture().begin();
        try (OutboxTransaction messages = given().outbox().begin(transaction)) {
            work.accept(messages);
        } finally {
            given().fixture().rollback(transaction);
        }
    }

    @Test
    default void an_entry_is_claimed_as_it_is_enqueued_and_can_be_settled() {
        withWorker(1, worker -> {
            long id = OutboxScenario.idOf(committed(message("a")).getFirst());
            assertThat(given().status("a")).isEqualTo(OutboxStatus.SENDING);
            OutboxClaim claim = worker.started.getFirst();
            assertThat(claim.entry().id()).isEqualTo(id);
            assertThat(claim.entry().idempotencyKey()).isEqualTo("a");
            assertThat(OutboxScenario.json(claim.entry().payload())).isEqualTo("{\"of\":\"a\"}");
            assertThat(claim.entry().requestDigest()).isEqualTo(message("a").requestDigest());
            assertThat(claim.attempt()).isEqualTo(1);
            assertThat(claim.outcomeUnknown()).isFalse();
            assertThat(given().claims(BOB)).isEmpty();
            assertThat(given().store().renew(ANN, List.of(claim.ref()), OutboxScenario.LEASE))
                    .isEmpty();
            given().succeed(ANN, claim);
            assertThat(given().status("a")).isEqualTo(OutboxStatus.SUCCEEDED);
            assertThat(given().result("a")).contains(OutboxScenario.ACCEPTED);
        });
    }

    @Test
    default void nothing_is_started_or_kept_of_a_transaction_that_is_rolled_back() {
        withWorker(1, worker -> {
            rollBack(messages -> messages.enqueue(message("a")));
            assertThat(worker.reserved).isEqualTo(1);
            assertThat(worker.free).isEqualTo(1);
            assertThat(worker.started).isEmpty();
            assertThat(given().claims(BOB)).isEmpty();
            assertThat(given().enqueue(message("a"))).isInstanceOf(EnqueueResult.Enqueued.class);
        });
    }

    @Test
    default void entries_beyond_the_room_are_left_to_any_worker() {
        withWorker(2, worker -> {
            List<EnqueueResult> results = committed(message("a"), message("b"), message("c"));
            assertThat(results).hasSize(3).allMatch(EnqueueResult.Enqueued.class::isInstance);
            assertThat(OutboxScenario.keys(worker.started)).containsExactlyInAnyOrder("a", "b");
            assertThat(given().claimedKeys(BOB)).containsExactly("c");
        });
    }

    @Test
    default void ordered_and_later_entries_are_not_claimed() {
        withWorker(2, worker -> {
            committed(
                    messageBuilder("a").orderingKey("k").build(),
                    messageBuilder("b")
                            .notBefore(given().in(Duration.ofHours(1)))
                            .build());
            assertThat(worker.started).isEmpty();
            assertThat(worker.free).isEqualTo(2);
            assertThat(given().status("a")).isEqualTo(OutboxStatus.PENDING);
            assertThat(given().status("b")).isEqualTo(OutboxStatus.PENDING);
        });
    }

    @Test
    default void an_entry_that_has_expired_is_not_claimed_and_a_later_expiry_is_kept() {
        Instant later = given().in(Duration.ofHours(1));
        withWorker(2, worker -> {
            committed(
                    messageBuilder("a")
                            .expiresAt(given().in(Duration.ofHours(-1)))
                            .build(),
                    messageBuilder("b").expiresAt(later).build());
            assertThat(OutboxScenario.keys(worker.started)).containsExactly("b");
            assertThat(worker.started.getFirst().entry().expiresAt()).contains(later);
        });
    }

    @Test
    default void a_key_that_exists_is_not_claimed_again() {
        withWorker(2, worker -> {
            given().enqueue(message("a"));
            List<EnqueueResult> results = committed(message("a"), message("b"), message("b"));
            assertThat(results.getFirst()).isInstanceOf(EnqueueResult.InProgress.class);
            assertThat(results.get(1)).isInstanceOf(EnqueueResult.Enqueued.class);
            assertThat(results.getLast()).isInstanceOf(EnqueueResult.InProgress.class);
            assertThat(OutboxScenario.keys(worker.started)).containsExactly("b");
            assertThat(given().claimedKeys(BOB)).containsExactly("a");
        });
    }

    @Test
    default void an_entry_whose_commit_was_not_reported_is_released() {
        withWorker(1, worker -> {
            T transaction = given().fixture().begin();
            try (OutboxTransaction messages = given().outbox().begin(transaction)) {
                messages.enqueue(message("a"));
                given().fixture().commit(transaction);
            }
            assertReleased(worker);
        });
    }

    @Test
    default void an_entry_is_released_if_the_worker_has_stopped() {
        withWorker(1, worker -> {
            worker.stopped = true;
            committed(message("a"));
            assertReleased(worker);
        });
    }

    private void assertReleased(Worker worker) {
        assertThat(worker.started).isEmpty();
        long until = System.nanoTime() + PATIENCE;
        while (given().status("a") != OutboxStatus.PENDING) {
            assertThat(System.nanoTime() - until).as("not released").isNegative();
            LockSupport.parkNanos(10_000_000);
        }
        OutboxClaim claim = given().claim(BOB);
        assertThat(claim.attempt()).isEqualTo(1);
        assertThat(claim.outcomeUnknown()).isFalse();
    }

    @Test
    default void an_entry_of_a_process_that_died_is_claimed_after_its_lease_with_an_unknown_outcome() {
        withWorker(1, worker -> {
            T transaction = given().fixture().begin();
            OutboxTransaction messages = given().outbox().begin(transaction); // neither reported nor closed
            messages.enqueue(message("a"));
            given().fixture().commit(transaction);
            assertThat(given().claims(BOB)).isEmpty();
            given().letLeasesRunOut();
            OutboxClaim claim = given().claim(BOB);
            assertThat(claim.attempt()).isEqualTo(2);
            assertThat(claim.outcomeUnknown()).isTrue();
        });
    }

    @Test
    default void messages_are_enqueued_and_reported_only_until_the_end() {
        T transaction = given().fixture().begin();
        OutboxTransaction messages = given().outbox().begin(transaction);
        messages.enqueue(message("a"));
        given().fixture().commit(transaction);
        messages.committed();
        assertThatThrownBy(messages::committed).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> messages.enqueue(message("b"))).isInstanceOf(IllegalStateException.class);
        messages.close();
        messages.close();
        assertThat(given().claimedKeys(BOB)).containsExactly("a");
    }
}
