package dev.spream.storage.jdbc.outbox;

import dev.spream.outbox.OutboxStore;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Those who watch by one store: they share a connection that listens, which is there while they are. Thread-safe. */
final class Watching {
    private final OutboxDatabase database;
    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Watch> watches = new HashSet<>(); // guarded by lock
    private @Nullable NotificationListener listener; // guarded by lock; there while watches are

    Watching(OutboxDatabase database) {
        this.database = database;
    }

    OutboxStore.Watch add(Runnable wake) {
        Watch watch = new Watch(Watchers.ofThisProcess().add(database.tables(), wake));
        lock.lock();
        try {
            watches.add(watch);
            if (listener == null) {
                listener = NotificationListener.start(
                        database.dataSource(), database.tables(), OutboxSignal.PROCESS, this::wakeAll);
            }
        } finally {
            lock.unlock();
        }
        return watch;
    }

    private void wakeAll() {
        Set<Watch> woken;
        lock.lock();
        try {
            woken = Set.copyOf(watches);
        } finally {
            lock.unlock();
        }
        woken.forEach(watch -> watch.registration.wake());
    }

    private void remove(Watch watch) {
        NotificationListener unused = null;
        lock.lock();
        try {
            watches.remove(watch);
            if (watches.isEmpty()) {
                unused = listener;
                listener = null;
            }
        } finally {
            lock.unlock();
        }
        if (unused != null) {
            unused.close();
        }
    }

    void close() {
        Set<Watch> open;
        lock.lock();
        try {
            open = Set.copyOf(watches);
        } finally {
            lock.unlock();
        }
        open.forEach(Watch::close);
    }

    private final class Watch implements OutboxStore.Watch {
        private final Watchers.Registration registration;

        private Watch(Watchers.Registration registration) {
            this.registration = registration;
        }

        @Override
        public void close() {
            registration.close();
            remove(this);
        }
    }
}
