package dev.spream.storage.jdbc.outbox;

import dev.spream.core.LoggedFailure;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wakes the workers of this process directly, and those of other processes, in PostgreSQL, by {@code NOTIFY} in a
 * transaction of its own. Commits with notifications are serialised by the server, so notifications are limited and callers do not wait
 * for them. Signals requested while one is being sent are combined into one more notification, sent after a short
 * pause.
 *
 * <p>Safe for use by many threads.
 *
 * @see <a href="https://www.postgresql.org/docs/current/sql-notify.html">PostgreSQL: NOTIFY</a>
 */
final class OutboxSignal {
    private static final Logger log = LoggerFactory.getLogger(OutboxSignal.class);

    private static final Duration PAUSE = Duration.ofMillis(10);

    private static final String NOTIFY = "SELECT true FROM pg_notify(?, ?)";

    /** The payload of this process's notifications, which its own workers ignore because they are woken directly. */
    static final String PROCESS = UUID.randomUUID().toString();

    private final OutboxDatabase database;
    private final boolean notifies;
    private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);

    private enum State {
        IDLE,
        NOTIFYING,
        ASKED_AGAIN
    }

    OutboxSignal(OutboxSql sql) {
        this.database = sql.database();
        this.notifies = sql.notifies();
    }

    void send() {
        LocalWatchers.OF_THIS_PROCESS.wake(database.tables());
        if (!notifies) {
            return;
        }
        State before = state.getAndUpdate(now -> now == State.IDLE ? State.NOTIFYING : State.ASKED_AGAIN);
        if (before == State.IDLE) {
            Thread.ofVirtual().name("spream-outbox-notify-" + database.tables()).start(this::run);
        }
    }

    private void run() {
        do {
            state.set(State.NOTIFYING);
            sendNotification();
            LockSupport.parkNanos(PAUSE.toNanos());
        } while (!state.compareAndSet(State.NOTIFYING, State.IDLE));
    }

    private void sendNotification() {
        try {
            database.rows(
                    "notifying workers of " + database.tables(),
                    NOTIFY,
                    p -> p.text(database.tables().channel()).text(PROCESS),
                    row -> true);
        } catch (RuntimeException e) {
            log.debug(
                    "[{}] workers of other processes were not notified; they find new entries at their next poll",
                    database.tables(),
                    LoggedFailure.of(e));
        }
    }
}
