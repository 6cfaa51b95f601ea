package dev.spream.storage.jdbc.lock;

import dev.spream.core.LoggedFailure;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A driver call on a thread of its own, which is abandoned when the call takes too long. On a dead network a driver may
 * wait without a limit: for its own lock, held by a statement that waits for the server, or for a connection to cancel
 * that statement.
 */
final class BoundedCall {
    private static final Logger log = LoggerFactory.getLogger(BoundedCall.class);

    private final String what;
    private final Thread thread;

    interface Call {
        void run() throws Exception;
    }

    private BoundedCall(String what, Call call) {
        this.what = what;
        this.thread = Thread.ofVirtual().name("spream-locks-call").start(() -> run(what, call));
    }

    static BoundedCall start(String what, Call call) {
        return new BoundedCall(what, call);
    }

    /** Runs the call. Drivers throw more than they declare. */
    private static void run(String what, Call call) {
        try {
            call.run();
        } catch (Exception e) {
            log.debug("{} failed: {}", what, LoggedFailure.message(e));
        }
    }

    boolean isRunning() {
        return thread.isAlive();
    }

    /** Waits for the end of the call up to the limit; restores an interrupt afterwards. */
    void await(Duration limit) {
        await(System.nanoTime() + limit.toNanos());
    }

    /** Waits for the end of all calls up to the limit. */
    static void awaitAll(List<BoundedCall> calls, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        calls.forEach(call -> call.await(end));
    }

    private void await(long end) {
        boolean interrupted = false;
        boolean ended = false;
        while (!ended) {
            try {
                ended = thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime()))) || System.nanoTime() >= end;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (isRunning()) {
            log.debug("{} did not end in time: the server does not answer; continuing without waiting for it", what);
        }
    }
}
