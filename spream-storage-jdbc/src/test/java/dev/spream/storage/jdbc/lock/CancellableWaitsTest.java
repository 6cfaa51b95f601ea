package dev.spream.storage.jdbc.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.LockConnectionException;
import dev.spream.storage.jdbc.lock.CancellableWait.LeftBehindException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The ends of waits on a connection whose driver throws, or hangs, in what is to end them. */
@Timeout(30)
final class CancellableWaitsTest {
    private static final CancellableWait.Limits SHORT =
            new CancellableWait.Limits(Duration.ofMillis(1), Duration.ofMillis(20), Duration.ofMillis(40));
    private static final CancellableWait.Limits NO_ABORT =
            new CancellableWait.Limits(Duration.ofMillis(1), Duration.ofDays(1), Duration.ofDays(1));

    private final Semaphore waiting = new Semaphore(0);
    private final CountDownLatch answered = new CountDownLatch(1);
    private final CountDownLatch network = new CountDownLatch(1);
    private final AtomicInteger cancellations = new AtomicInteger();
    private final Queue<CancellableWait> leftBehind = new ConcurrentLinkedQueue<>();
    private Runnable onCancel = this::hang;
    private Runnable onAbort = this::hang;

    @AfterEach
    void end() {
        network.countDown();
    }

    @Test
    void a_cancellation_that_throws_is_sent_again() throws Exception {
        onCancel = () -> {
            if (cancellations.incrementAndGet() < 3) {
                throw new IllegalStateException("the driver fails");
            }
            answered.countDown();
        };
        FutureTask<Integer> call = interrupted(waits(NO_ABORT));
        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        assertThat(cancellations).hasValueGreaterThan(2);
        assertThat(leftBehind).isEmpty();
    }

    @Test
    void a_wait_whose_cancellation_hangs_ends_with_its_connection() throws Exception {
        onAbort = answered::countDown;
        FutureTask<Integer> call = interrupted(
                waits(new CancellableWait.Limits(Duration.ofMillis(1), Duration.ofMillis(20), Duration.ofDays(1))));
        assertThat(answered.await(20, TimeUnit.SECONDS)).as("aborted").isTrue();
        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        assertThat(leftBehind).isEmpty();
    }

    @Test
    void a_wait_that_nothing_ends_is_left_behind_by_an_interrupt_its_deadline_and_its_store() throws Exception {
        FutureTask<Integer> interrupted = interrupted(waits(SHORT));
        assertThatThrownBy(() -> interrupted.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        assertThat(leftBehind).hasSize(1);

        Connection connection = driver(Connection.class, "abort", () -> onAbort.run());
        assertThatThrownBy(() ->
                        waits(SHORT).call("wait", connection, Optional.of(Duration.ofMillis(1)), wait -> awaitAnswer()))
                .isInstanceOf(LeftBehindException.class);
        assertThat(leftBehind).hasSize(2);
        assertThat(waiting.tryAcquire(20, TimeUnit.SECONDS)).isTrue();

        CancellableWaits closed = waits(SHORT);
        FutureTask<Integer> call = start(closed).call();
        BoundedCall.awaitAll(closed.startClosing(), Duration.ofSeconds(20));
        assertThatThrownBy(() -> call.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(LockConnectionException.class);
        assertThat(leftBehind).hasSize(3);
        assertThat(network.getCount()).as("a network that is dead to the end").isOne();
    }

    private CancellableWaits waits(CancellableWait.Limits limits) {
        return new CancellableWaits(limits, (connection, wait) -> leftBehind.add(wait));
    }

    /** A call that waits, and its thread. */
    private record Waiter(FutureTask<Integer> call, Thread thread) {}

    private Waiter start(CancellableWaits waits) throws InterruptedException {
        Connection connection = driver(Connection.class, "abort", () -> onAbort.run());
        Statement statement = driver(Statement.class, "cancel", () -> onCancel.run());
        FutureTask<Integer> call = new FutureTask<>(
                () -> waits.call("wait", connection, Optional.empty(), wait -> wait.run(statement, this::awaitAnswer)));
        Thread thread = Thread.ofVirtual().start(call);
        assertThat(waiting.tryAcquire(20, TimeUnit.SECONDS)).isTrue();
        return new Waiter(call, thread);
    }

    private FutureTask<Integer> interrupted(CancellableWaits waits) throws InterruptedException {
        Waiter waiter = start(waits);
        waiter.thread.interrupt();
        return waiter.call;
    }

    private int awaitAnswer() throws SQLException {
        waiting.release();
        try {
            answered.await();
        } catch (InterruptedException e) {
            throw new AssertionError("the thread of a statement is not interrupted", e);
        }
        throw new SQLException("cancelled");
    }

    private void hang() {
        try {
            network.await();
        } catch (InterruptedException e) {
            throw new AssertionError("the thread of a cancellation is not interrupted", e);
        }
    }

    private static <T> T driver(Class<T> type, String method, Runnable call) {
        InvocationHandler handler = (proxy, called, arguments) -> {
            assertThat(called.getName()).isEqualTo(method);
            call.run();
            return null;
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
