package dev.spream.storage.jdbc.outbox;

import dev.spream.core.LoggedFailure;
import dev.spream.core.StorageException;
import dev.spream.core.internal.SectionLock;
import dev.spream.outbox.OutboxStore;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watchers of one store. Where the server notifies, they share a listening connection, which is open
 * while there are watchers. Safe for use by
 * many threads.
 */
final class NotificationHub {
    private static final Logger log = LoggerFactory.getLogger(NotificationHub.class);

    private final OutboxSql sql;
    private final OutboxDatabase database;
    private final SectionLock lock = new SectionLock();
    private final Set<Watch> watches = new HashSet<>(); // guarded by lock
    private volatile @Nullable NotificationListener listener; // written under lock; null while there are no watches
    private volatile @Nullable String silentServer; // null where the server notifies, or is not known yet

    NotificationHub(OutboxSql sql) {
        this.sql = sql;
        this.database = sql.database();
    }

    OutboxStore.Watch add(OutboxStore.Watcher watcher) {
        if (!sql.notifies() && silentServer == null) {
            silentServer = askServer();
        }
        Watch watch = new Watch(LocalWatchers.OF_THIS_PROCESS.add(database.tables(), watcher, this::server));
        lock.run(() -> {
            watches.add(watch);
            if (sql.notifies() && listener == null) {
                listener = NotificationListener.start(
                        database.dataSource(), database.tables(), OutboxSignal.PROCESS, this::wakeAll);
            }
        });
        return watch;
    }

    /** Returns what identifies the server; null if it is not known, or the connection that listens to it is broken. */
    private @Nullable String server() {
        NotificationListener now = listener;
        return now == null ? silentServer : now.server();
    }

    private @Nullable String askServer() {
        try {
            return database.row(
                    "identifying the server of " + database.tables(),
                    "SELECT %s AS server".formatted(sql.server()),
                    p -> {},
                    row -> row.getString("server"));
        } catch (StorageException e) {
            log.debug("[{}] entries are not claimed as they are enqueued", database.tables(), LoggedFailure.of(e));
            return null;
        }
    }

    private void wakeAll() {
        lock.get(() -> Set.copyOf(watches)).forEach(watch -> watch.registration.wake());
    }

    private void remove(Watch watch) {
        lock.get(() -> {
                    watches.remove(watch);
                    return watches.isEmpty() ? taken() : Optional.<NotificationListener>empty();
                })
                .ifPresent(NotificationListener::close);
    }

    /** Removes the listener and returns it to be closed; called under the lock. */
    private Optional<NotificationListener> taken() {
        Optional<NotificationListener> unused = Optional.ofNullable(listener);
        listener = null;
        return unused;
    }

    void close() {
        lock.get(() -> Set.copyOf(watches)).forEach(Watch::close);
    }

    private final class Watch implements OutboxStore.Watch {
        private final LocalWatchers.Registration registration;

        private Watch(LocalWatchers.Registration registration) {
            this.registration = registration;
        }

        @Override
        public void close() {
            registration.close();
            remove(this);
        }
    }
}
