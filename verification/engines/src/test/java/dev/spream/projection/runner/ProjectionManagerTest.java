package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.projection.ExternalReadModel;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionView;
import dev.spream.projection.SideEffectingProjection;
import dev.spream.projection.event.EventEnvelope;
import dev.spream.projection.runner.ManagerBench.Running;
import dev.spream.testkit.memory.InMemoryProjectionStore;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import dev.spream.testkit.projection.ForwardingProjectionStore;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Projections of an event store, from events to rows. */
final class ProjectionManagerTest {
    private final ManagerBench bench = new ManagerBench();

    @AfterEach
    void stop() {
        bench.close();
    }

    private void appendMany() {
        for (int round = 0; round < 20; round++) {
            for (int account = 0; account < 50; account++) {
                Accounts.append(bench.events, "account-" + account, round + account);
            }
        }
    }

    static Balances projection(String name, boolean folded) {
        return folded ? new Balances.Folded(name) : new Balances(name);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void events_become_rows_each_once_and_in_order(boolean folded) {
        appendMany();
        bench.start(projection("balances", folded));
        bench.awaitBalances("balances");
        appendMany();
        bench.awaitBalances("balances");
    }

    @Test
    void ten_batches_of_folded_events_are_one_while_more_of_them_wait() {
        assertLargestBatch(new Balances.Folded("balances"), 30);
    }

    @Test
    void a_projection_that_does_more_than_fold_takes_a_batch_at_a_time() {
        assertLargestBatch(new Balances("plain"), 3);
        assertLargestBatch(new Announced(), 3);
        assertLargestBatch(new Outside(), 3);
    }

    private void assertLargestBatch(Balances projection, int largest) {
        Accounts.append(bench.events, "account-1", LongStream.range(0, 100).toArray());
        bench.start(
                bench.database.store(),
                builder -> builder.add(
                        projection,
                        bench.source,
                        ManagerBench.OPTIONS.withSegments(1).withBatch(3)));
        bench.awaitBalances(projection.name());
        List<Integer> sizes = bench.told.all(RecordingProjectionListener.Told.Applied.class).stream()
                .filter(told -> told.projection().equals(projection.name()))
                .map(RecordingProjectionListener.Told.Applied::applied)
                .toList();
        assertThat(sizes).contains(largest).allMatch(size -> size <= largest);
    }

    private static final class Announced extends Balances.Folded implements SideEffectingProjection<Transaction> {
        Announced() {
            super("announced");
        }

        @Override
        public void follow(Transaction transaction, EventEnvelope event) {}
    }

    private static final class Outside extends Balances.Folded implements ExternalReadModel {
        Outside() {
            super("outside");
        }

        @Override
        public String begin() {
            return "its id";
        }

        @Override
        public void require(String id) {}
    }

    @Test
    void a_restart_continues_where_it_stopped() throws Exception {
        appendMany();
        Running first = bench.start(new Balances("balances"));
        bench.awaitBalances("balances");
        first.stop();
        appendMany();
        bench.start(new Balances("balances"));
        bench.awaitBalances("balances");
    }

    @Test
    void several_projections_each_have_their_own_read_model() {
        appendMany();
        bench.start(new Balances("one"), new Balances.Folded("other"));
        bench.awaitBalances("one");
        bench.awaitBalances("other");
    }

    @Test
    void it_is_caught_up_when_nothing_is_left() {
        appendMany();
        Running running = bench.start(new Balances("balances"));
        bench.awaitBalances("balances");
        bench.await("no lag", () -> view(running).lagEvents().equals(OptionalLong.of(0)));
        assertThat(view(running).lag()).hasValue(Duration.ZERO);
        assertThat(view(running).outage()).isEmpty();
        assertThat(view(running).segmentsHeld()).isEqualTo(4);
    }

    private static ProjectionView view(Running running) {
        return running.manager().views().getFirst();
    }

    @Test
    void the_row_of_a_projection_follows() {
        appendMany();
        bench.start(new Balances("balances"));
        bench.await("the summary", () -> bench.operations.list().stream().anyMatch(state -> state.position() == 1_000));
        assertThat(bench.details("balances").state().lastEventId()).isPresent();
    }

    @Test
    void it_runs_once() throws Exception {
        Running running = bench.start(new Balances("balances"));
        running.stop();
        assertThatThrownBy(running.manager()::run).isInstanceOf(IllegalStateException.class);
        assertThat(running.manager().shutdown(Duration.ZERO)).isTrue();
    }

    @Test
    void a_projection_that_had_a_source_without_positions_is_not_run_over_one_with() throws Exception {
        bench.database.store().register("balances", 0);
        Running running = bench.start(new Balances("balances"));
        assertThatThrownBy(running::join).hasRootCauseInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_store_that_cannot_say_whether_the_source_is_as_before_does_not_keep_the_manager_from_starting() {
        appendMany();
        AtomicBoolean refused = new AtomicBoolean();
        ProjectionStore<Transaction> store = new ForwardingProjectionStore<>(bench.database.store()) {
            @Override
            protected <V> V call(String operation, Callable<V> call) throws Exception {
                if (operation.equals("state") && refused.compareAndSet(false, true)) {
                    throw new IllegalArgumentException("the driver does not know that URL");
                }
                return call.call();
            }
        };
        bench.start(store, builder -> builder.add(new Balances("balances"), bench.source));
        bench.awaitBalances("balances");
        assertThat(refused).isTrue();
    }

    @Test
    void names_are_checked() {
        ProjectionManager.Builder<InMemoryProjectionStore.Transaction> builder =
                ProjectionManager.builder(bench.database);
        assertThatThrownBy(builder::build).isInstanceOf(IllegalStateException.class);
        builder.add(new Balances("balances"), bench.source);
        for (String name : List.of("balances", "", "1st", "a b", "x".repeat(101))) {
            assertThatThrownBy(() -> builder.add(new Balances(name), bench.source))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
