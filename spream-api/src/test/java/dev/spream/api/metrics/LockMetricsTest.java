package dev.spream.api.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.BucketsNotProvisionedException;
import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockBusyException;
import dev.spream.lock.LockCancelledException;
import dev.spream.lock.LockConnectionException;
import dev.spream.lock.LockDeadlockException;
import dev.spream.lock.LockException;
import dev.spream.lock.LockHandle;
import dev.spream.lock.LockKey;
import dev.spream.lock.LockLostException;
import dev.spream.lock.LockMode;
import dev.spream.lock.LockOrderException;
import dev.spream.lock.LockRequest;
import dev.spream.lock.LockStoreException;
import dev.spream.lock.LockTarget;
import dev.spream.lock.LockTimeoutException;
import dev.spream.lock.PlannedLock;
import dev.spream.testkit.memory.InMemoryLockStore;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class LockMetricsTest {
    private static final LockRequest REQUEST = LockRequest.exclusive(LockTarget.user("u1"));
    private static final Map<LockException, String> FAILURES = Map.of(
            new LockBusyException("", null), "busy",
            new LockTimeoutException("", null), "timeout",
            new LockDeadlockException("", null), "deadlock",
            new LockCancelledException("", null), "cancelled",
            new LockConnectionException("", null), "connection",
            new LockOrderException("", null), "order",
            new LockLostException("", null), "lost",
            new BucketsNotProvisionedException("", null), "space",
            new LockStoreException("", null), "store");

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final LockMetrics metrics = LockMetrics.of(registry, "orders");

    @Test
    void all_meters_are_there_and_zero_from_the_beginning() {
        assertThat(registry.getMeters())
                .hasSizeGreaterThanOrEqualTo(LockOutcome.values().length + 4)
                .allSatisfy(meter -> assertThat(meter.getId().getTags()).contains(Tag.of("locks", "orders")))
                .allSatisfy(meter -> assertThat(meter.measure())
                        .allSatisfy(value -> assertThat(value.getValue()).isZero()));
    }

    @Test
    void a_request_is_timed_by_how_it_ended() {
        metrics.acquired(REQUEST, 1, Duration.ofMillis(3), false);
        metrics.waiting(REQUEST, new PlannedLock(new LockKey(0, 7), LockMode.EXCLUSIVE));
        metrics.acquired(REQUEST, 1, Duration.ofMillis(40), true);

        assertThat(acquireMillis("acquired")).isEqualTo(3);
        assertThat(acquireMillis("waited")).isEqualTo(40);
        assertThat(registry.get("spream.locks.waits").counter().count()).isEqualTo(1);
    }

    @Test
    void every_failure_has_its_outcome() {
        FAILURES.forEach((failure, outcome) -> {
            metrics.failed(REQUEST, failure, Duration.ofMillis(5));
            assertThat(acquireMillis(outcome)).as(outcome).isEqualTo(5);
        });
        Set<String> outcomes = new HashSet<>(FAILURES.values());
        outcomes.addAll(Set.of("acquired", "waited"));
        assertThat(registry.get("spream.locks.acquire").timers())
                .extracting(timer -> timer.getId().getTag("outcome"))
                .containsExactlyInAnyOrderElementsOf(outcomes);
    }

    @Test
    void handles_that_are_given_back_are_told_from_those_that_are_lost() {
        metrics.released(REQUEST, Duration.ofSeconds(2));
        metrics.lost(REQUEST, Duration.ofSeconds(9));

        assertThat(registry.get("spream.locks.held").timer().totalTime(TimeUnit.SECONDS))
                .isEqualTo(2);
        assertThat(registry.get("spream.locks.lost").counter().count()).isEqualTo(1);
    }

    @Test
    void handles_are_counted_while_they_are_open_whatever_becomes_of_their_locks() throws Exception {
        try (InMemoryLockStore store = InMemoryLockStore.create();
                HierarchicalLocks<InMemoryLockStore.Transaction> locks =
                        HierarchicalLocks.builder(store).listener(metrics).build()) {
            LockHandle handle = locks.acquire(REQUEST);
            LockHandle other = locks.acquire(LockRequest.exclusive(LockTarget.user("u2")));
            assertThat(handles()).isEqualTo(2);
            locks.transact(LockRequest.exclusive(LockTarget.user("u3")), transaction -> {
                assertThat(handles()).as("work is no handle").isEqualTo(2);
                return transaction;
            });
            other.close();
            other.close();
            assertThat(handles()).isEqualTo(1);
            locks.close();
            assertThat(handles()).as("ended by closing the locks").isZero();
            assertThatThrownBy(handle::close).isInstanceOf(LockLostException.class);
            assertThat(handles()).isZero();
        }
    }

    private double handles() {
        return registry.get("spream.locks.handles").gauge().value();
    }

    private double acquireMillis(String outcome) {
        return registry.get("spream.locks.acquire")
                .tag("outcome", outcome)
                .timer()
                .totalTime(TimeUnit.MILLISECONDS);
    }
}
