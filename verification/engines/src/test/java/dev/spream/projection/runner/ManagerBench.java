package dev.spream.projection.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.projection.ParkReason;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOptions;
import dev.spream.projection.ProjectionStatus;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.event.EventSource;
import dev.spream.testkit.memory.InMemoryEventStore;
import dev.spream.testkit.memory.InMemoryProjectionStore;
import dev.spream.testkit.memory.InMemoryProjectionStore.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** A database and an event store in memory, and managers over them, each with a thread of its own. */
final class ManagerBench implements AutoCloseable {
    static final ProjectionOptions OPTIONS = ProjectionOptions.DEFAULTS
            .withBatch(100)
            .withLease(Duration.ofSeconds(1))
            .withRetries(3, Duration.ofMillis(1), Duration.ofMillis(20));
    static final ProjectionOperations.Act ACT = new ProjectionOperations.Act("operator", "a test");
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    final InMemoryEventStore events = new InMemoryEventStore();
    final InMemoryProjectionStore database = new InMemoryProjectionStore();
    final ProjectionOperations operations = database.operations();
    final EventSource source = events.source();
    final RecordingProjectionListener told = new RecordingProjectionListener();
    private final List<Running> running = new ArrayList<>();

    /** A manager that runs. */
    record Running(ProjectionManager<Transaction> manager, FutureTask<Void> run) {
        /** Waits until it has ended, and throws what it threw. */
        void join() throws ExecutionException, InterruptedException {
            try {
                run.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                throw new AssertionError("the manager does not end", e);
            }
        }

        void stop() throws ExecutionException, InterruptedException {
            assertThat(manager.shutdown(TIMEOUT)).isTrue();
            join();
        }
    }

    Running start(Balances... projections) {
        return start(database.store(), builder -> {
            for (Balances projection : projections) {
                builder.add(projection, source);
            }
            return builder;
        });
    }

    Running start(
            ProjectionStore<Transaction> store, UnaryOperator<ProjectionManager.Builder<Transaction>> configuration) {
        ProjectionManager<Transaction> manager = configuration
                .apply(ProjectionManager.builder(store).options(OPTIONS).listener(told))
                .build();
        FutureTask<Void> run = new FutureTask<>(manager::run, null);
        Thread.ofVirtual().name("manager").start(run);
        Running started = new Running(manager, run);
        running.add(started);
        return started;
    }

    /** As {@link #start(Balances...)}, with a lease that is not lost while a busy machine lets the manager stand still. */
    Running startWithLongLease(Balances projection) {
        return start(
                database.store(), builder -> builder.add(projection, source, OPTIONS.withLease(Duration.ofSeconds(5))));
    }

    Map<String, Accounts.Balance> balances(String projection) {
        return database.table(projection);
    }

    /** The versions of an account that were applied, in their order. */
    List<Long> history(String projection, String account) {
        return balances(projection).getOrDefault(account, Accounts.Balance.NONE).history();
    }

    /** Waits until the read model is what the events come to. */
    void awaitBalances(String projection) {
        Map<String, Accounts.Balance> expected = Accounts.fold(events);
        await("the read model of " + projection, () -> balances(projection).equals(expected));
    }

    ProjectionDetails details(String projection) {
        return operations.show(projection).orElseThrow();
    }

    ProjectionStatus status(String projection) {
        return details(projection).state().status();
    }

    List<ParkedAggregate> parked(String projection) {
        return operations.parked(projection, 1_000);
    }

    void awaitParked(String projection, String key, ParkReason reason) {
        await(
                key + " parked as " + reason,
                () -> database.operations().show(projection).isPresent()
                        && parked(projection).stream()
                                .anyMatch(parked -> parked.key().equals(key) && parked.reason() == reason));
    }

    void await(String what, BooleanSupplier condition) {
        long until = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("%s has not come about; %s; parked %s; told %s"
                        .formatted(
                                what,
                                operations.list(),
                                operations.list().stream()
                                        .map(state -> parked(state.projection()))
                                        .toList(),
                                told.stream().toList()));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    @Override
    public void close() {
        running.forEach(each -> each.manager().close());
        source.close();
        events.close();
    }
}
