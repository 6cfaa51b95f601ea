package dev.spream.lock;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A handle over the transaction on a connection of its own. Its lock prevents the owner and the watchdog from using
 * that connection at the same time. Safe for use by many threads.
 */
final class OpenHandle<T> implements LockHandle {
    private static final Logger log = LoggerFactory.getLogger(OpenHandle.class);

    private enum State {
        HELD,
        LOST,
        CLOSED
    }

    private final LockEngine<T> engine;
    private final TransactionScope<T> scope;
    private final Optional<StackTraceElement> acquiredAt;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private State state = State.HELD;
    private OptionalLong epoch = OptionalLong.empty();
    private @Nullable Throwable cause;

    private volatile long usedAt = System.nanoTime();
    private volatile boolean abandoned;
    private volatile boolean warned;

    OpenHandle(LockEngine<T> engine, TransactionScope<T> scope, Optional<StackTraceElement> acquiredAt) {
        this.engine = engine;
        this.scope = scope;
        this.acquiredAt = acquiredAt;
    }

    TransactionScope<T> scope() {
        return scope;
    }

    /** Makes that thread the one that is taken to close this. */
    void passTo(Thread closer) {
        scope.passTo(closer);
    }

    @Override
    public LockRequest held() {
        return scope.held()
                .orElseThrow(() -> new LockLostException(
                        "the handle no longer holds locks: a further acquire failed, and the transaction was rolled back",
                        null));
    }

    @Override
    public void acquire(LockRequest request) throws InterruptedException {
        acquire(request, engine.options().defaultWait());
    }

    @Override
    public void acquire(LockRequest request, LockWait wait) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            endIfAbandoned();
            if (state != State.HELD) {
                throw lost("locking " + request + ": the handle no longer holds locks");
            }
            scope.acquire(request, wait);
            endIfAbandoned();
            if (state != State.HELD) {
                throw lost("locking " + request + ": the handle has ended");
            }
        } finally {
            unlock();
        }
    }

    @Override
    public boolean isHeld() {
        return locked(this::checkHeld);
    }

    @Override
    public void requireHeld() {
        locked(() -> {
            if (!checkHeld()) {
                throw lost("the locks are no longer held: " + shown());
            }
            return true;
        });
    }

    /** Checks the locks after the epoch was issued, so they were held at that moment. */
    @Override
    public long epoch() {
        return locked(() -> {
            if (epoch.isEmpty() && state == State.HELD && !scope.failed()) {
                long next = engine.store().nextEpoch();
                if (checkHeld()) {
                    epoch = OptionalLong.of(next);
                }
            }
            if (epoch.isEmpty() || state != State.HELD || scope.failed()) {
                throw lost("there is no epoch, because the locks are no longer held: " + shown());
            }
            return epoch.getAsLong();
        });
    }

    /** Releases by a commit: it costs as much as a rollback, and fails if there was nothing left to release. */
    @Override
    public void close() {
        locked(() -> {
            if (state == State.CLOSED) {
                return false;
            }
            Duration heldFor = scope.heldFor();
            boolean released = state == State.HELD && !scope.failed() && commit();
            if (state == State.LOST) {
                LockLostException loss = lost("the locks were lost before they were released: " + shown());
                end();
                throw loss;
            }
            if (released) {
                scope.held().ifPresent(locks -> engine.events().publish(to -> to.released(locks, heldFor)));
            }
            end();
            return released;
        });
    }

    private boolean commit() {
        try {
            engine.store().commit(scope.transaction());
            return true;
        } catch (LockException e) {
            revoke(e);
            return false;
        }
    }

    private void end() {
        state = State.CLOSED;
        giveBack();
    }

    private void giveBack() {
        boolean first = engine.watch().closed(this);
        engine.store().end(scope.transaction());
        if (first) {
            engine.events().publish(LockListener::closed);
        }
    }

    /** @throws LockLostException if everything was closed while the handle was opened */
    void requireNotEnded() {
        locked(() -> {
            if (state != State.HELD) {
                throw lost("these locks were closed: " + shown());
            }
            return true;
        });
    }

    /** Called when everything is closed: a handle in use ends after that use, and its owner is notified of the loss. */
    void abandon() {
        log.warn(
                "the locks are closed while a handle is open: {}, acquired at {}; it loses its locks. Close handles first",
                shown(),
                place());
        abandoned = true;
        if (lock.tryLock()) {
            unlock();
        }
    }

    boolean isIdleFor(Duration time) {
        return System.nanoTime() - usedAt >= time.toNanos();
    }

    /** Called by the watchdog: a handle in use is checked another time. */
    void checkUnlessUsed() {
        if (lock.tryLock()) {
            try {
                boolean ignored = checkHeld();
            } finally {
                unlock();
            }
        }
    }

    /** Has the watchdog not warn about this handle. */
    void warnNever() {
        warned = true;
    }

    /** Called by the watchdog; warns once. */
    void warnIfHeldLongerThan(Duration limit) {
        if (!warned && scope.heldFor().compareTo(limit) >= 0) {
            warned = true;
            log.warn(
                    "locks have been held for more than {}: {}, acquired at {}; they stay held until the handle is closed",
                    DurationText.of(limit),
                    shown(),
                    place());
        }
    }

    private boolean checkHeld() {
        if (state != State.HELD || scope.failed()) {
            return false;
        }
        if (!engine.store().isAlive(scope.transaction())) {
            revoke(null);
            return false;
        }
        return true;
    }

    private void revoke(@Nullable Throwable reason) {
        state = State.LOST;
        cause = reason;
        engine.watch().lost(this);
        log.warn(
                "a handle lost its locks, which another holder may have already: {}, acquired at {}; its next use fails",
                shown(),
                place(),
                reason == null ? null : LoggedFailure.of(reason));
        scope.held().ifPresent(locks -> engine.events().publish(to -> to.lost(locks, scope.heldFor())));
    }

    private LockLostException lost(String message) {
        return new LockLostException(
                message
                        + (state == State.CLOSED
                                ? "; the handle is closed"
                                : "; another holder may have them already: check what was written since, which may overlap with its work"),
                cause);
    }

    private String shown() {
        return scope.held().map(LockRequest::toString).orElse("nothing");
    }

    @Override
    public String toString() {
        return "LockHandle[" + shown() + "]";
    }

    private String place() {
        return acquiredAt.map(StackTraceElement::toString).orElse("an unknown place");
    }

    private <R> R locked(Supplier<R> use) {
        lock.lock();
        try {
            endIfAbandoned();
            return use.get();
        } finally {
            unlock();
        }
    }

    private void unlock() {
        usedAt = System.nanoTime();
        try {
            endIfAbandoned();
        } finally {
            lock.unlock();
        }
        if (abandoned && lock.tryLock()) { // it may have been abandoned between the two
            try {
                endIfAbandoned();
            } finally {
                lock.unlock();
            }
        }
    }

    private void endIfAbandoned() {
        if (abandoned && state == State.HELD) {
            revoke(new LockStoreException("the locks were closed while the handle was open", null));
            giveBack();
        }
    }
}
