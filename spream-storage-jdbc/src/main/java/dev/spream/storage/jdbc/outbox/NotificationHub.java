package dev.spream.storage.jdbc.outbox;

import dev.spream.core.internal.SectionLock;
import dev.spream.outbox.OutboxStore;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The watchers of one store. They share a listening connection, which is open while there are watchers. Safe for use by
 * many threads.
 */
final class NotificationHub {
    private final OutboxSql sql;
    private final OutboxDatabase database;
    private final SectionLock lock = new SectionLock();
    private final Set<Watch> watches = new HashSet<>(); // guarded by lock
    private volatile @Nullable NotificationListener listener; // written under lock; null while there are no watches

    NotificationHub(OutboxSql sql) {
        this.sql = sql;
        this.database = sql.database();
    }

    OutboxStore.Watch add(OutboxStore.Watcher watcher) {
        Watch watch = new Watch(LocalWatchers.OF_THIS_PROCESS.add(database.tables(), watcher, this::server));
        lock.run(() -> {
            watches.add(watch);
            if (listener == null) {
                listener = NotificationListener.start(
                        database.dataSource(), database.tables(), OutboxSignal.PROCESS, this::wakeAll);
            }
        });
        return watch;
    }

    /** Returns what identifies the server while a connection listens to it, null otherwise. */
    private @Nullable String server() {
        NotificationListener now = listener;
        return now == null ? null : now.server();
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
