package dev.spream.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.projection.BatchCheckpoint;
import dev.spream.projection.FailureKind;
import dev.spream.projection.Fence;
import dev.spream.projection.ParkDecision;
import dev.spream.projection.ProjectionStore;
import dev.spream.testkit.event.TestEvents;
import dev.spream.testkit.event.Threads;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.projection.ProjectionScenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the in-memory database beyond the contract of its states. */
@Timeout(30)
final class InMemoryTablesTest {
    private final InMemoryProjectionStore store = new InMemoryProjectionStore();
    private final Fence fence =
            new Fence.Whole("balances", store.register("balances", 0).epoch());

    private boolean in(ProjectionStore.Work<Transaction> work) throws Exception {
        return store.apply(fence, Set.of(), work);
    }

    @Test
    void a_transaction_sees_what_it_wrote_and_others_do_when_it_has_committed() throws Exception {
        in((transaction, states) -> {
            InMemoryProjectionStore.Table<String> names = transaction.table("names");
            names.put("a", "Ann");
            names.put("b", "Bob");
            names.remove("b");
            assertThat(names.get("a")).contains("Ann");
            assertThat(names.get("b")).isEmpty();
            assertThat(store.table("names")).isEmpty();
            return ProjectionScenario.NOTHING;
        });
        assertThat(store.<String>table("names")).containsOnly(Map.entry("a", "Ann"));
        assertThat(store.store().<String>table("names")).containsOnly(Map.entry("a", "Ann"));
    }

    @Test
    void a_transaction_that_has_ended_is_refused() throws Exception {
        List<Transaction> kept = new ArrayList<>();
        in((transaction, states) -> {
            kept.add(transaction);
            return ProjectionScenario.NOTHING;
        });
        assertThatThrownBy(() -> kept.getFirst().table("names").get("a")).isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> kept.getFirst().table("names").put("a", "Ann")).isInstanceOf(StorageException.class);
        assertThat(store.table("names")).isEmpty();
    }

    @Test
    void counts_over_aggregates_lose_nothing_if_their_rows_are_locked() {
        try (Threads threads = new Threads()) {
            Callable<Boolean> count = () -> {
                for (int i = 0; i < 50; i++) {
                    in((transaction, states) -> {
                        InMemoryProjectionStore.Table<Integer> counts = transaction.table("counts");
                        counts.put("all", counts.lock("all").orElse(0) + 1);
                        return ProjectionScenario.NOTHING;
                    });
                }
                return true;
            };
            threads.together(List.of(count, count, count, count));
        }
        assertThat(store.<Integer>table("counts")).containsOnly(Map.entry("all", 200));
    }

    @Test
    void of_two_transactions_that_wait_for_each_other_one_fails_and_may_be_tried_again() {
        CyclicBarrier both = new CyclicBarrier(2);
        try (Threads threads = new Threads()) {
            List<Optional<Exception>> failures =
                    threads.together(List.of(() -> failure(both, "a", "b"), () -> failure(both, "b", "a")));
            assertThat(failures).filteredOn(Optional::isPresent).singleElement().satisfies(failure -> {
                assertThat(failure.orElseThrow()).hasMessageContaining("deadlock");
                assertThat(store.failureKind(failure.orElseThrow())).isEqualTo(FailureKind.CONFLICT);
            });
        }
        assertThat(store.<Integer>table("counts")).containsOnly(Map.entry("a", 1), Map.entry("b", 1));
    }

    private Optional<Exception> failure(CyclicBarrier both, String first, String second) {
        try {
            in((transaction, states) -> {
                transaction.table("counts").put(first, 1);
                both.await(20, TimeUnit.SECONDS);
                transaction.table("counts").put(second, 1);
                return ProjectionScenario.NOTHING;
            });
            return Optional.empty();
        } catch (Exception e) {
            return Optional.of(e);
        }
    }

    @Test
    void a_transaction_that_has_failed_commits_nothing_even_if_its_failure_is_hidden() {
        assertThatThrownBy(() -> in((transaction, states) -> {
                    transaction.table("counts").put("a", 1);
                    hideFailure(transaction);
                    return ProjectionScenario.NOTHING;
                }))
                .isInstanceOf(StorageException.class);
        assertThat(store.table("counts")).isEmpty();
    }

    /** Waits for a row that another transaction has, and is interrupted. */
    private void hideFailure(Transaction transaction) throws Exception {
        try (Threads threads = new Threads()) {
            CountDownLatch locked = new CountDownLatch(1);
            CountDownLatch over = new CountDownLatch(1);
            java.util.concurrent.Future<Boolean> other = threads.start(() -> in((another, states) -> {
                another.table("counts").put("b", 2);
                locked.countDown();
                Threads.await(over);
                throw new IllegalStateException("rolled back");
            }));
            Threads.await(locked);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> transaction.table("counts").put("b", 1)).isInstanceOf(StorageException.class);
            assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
            over.countDown();
            assertThatThrownBy(() -> other.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void progress_that_would_lose_events_is_refused_and_nothing_is_written() {
        ParkDecision poison = ProjectionScenario.POISON;
        for (BatchCheckpoint progress : List.of(
                ProjectionScenario.upTo("another", 1),
                new BatchCheckpoint(Map.of(), Map.of("a", poison), List.of(), OptionalLong.empty(), Optional.empty()),
                new BatchCheckpoint(
                        Map.of(), Map.of(), TestEvents.events("a", 1, 1), OptionalLong.empty(), Optional.empty()))) {
            assertThatThrownBy(() -> store.apply(fence, Set.of("a"), (transaction, states) -> {
                        transaction.table("counts").put("a", 1);
                        return progress;
                    }))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(store.table("counts")).isEmpty();
    }
}
