package dev.spream.storage.jdbc.outbox;

import dev.spream.core.LoggedFailure;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The callbacks of this process for enqueued entries, by the tables that they watch. Outboxes with the same names in
 * several databases share their notifications, which is harmless. Safe for use by many threads.
 */
final class LocalWatchers {
    private static final Logger log = LoggerFactory.getLogger(LocalWatchers.class);
    static final LocalWatchers OF_THIS_PROCESS = new LocalWatchers();

    private final Map<OutboxTables, Set<Registration>> registered = new ConcurrentHashMap<>();

    private LocalWatchers() {}

    Registration add(OutboxTables tables, Runnable wake) {
        Registration registration = new Registration(this, tables, wake);
        registered
                .computeIfAbsent(tables, watched -> ConcurrentHashMap.newKeySet())
                .add(registration);
        return registration;
    }

    void wake(OutboxTables tables) {
        registered.getOrDefault(tables, Set.of()).forEach(Registration::wake);
    }

    /** A registered callback. Closing it ends the registration. The same {@code wake} can be registered twice. */
    static final class Registration implements AutoCloseable {
        private final LocalWatchers watchers;
        private final OutboxTables tables;
        private final Runnable wake;

        private Registration(LocalWatchers watchers, OutboxTables tables, Runnable wake) {
            this.watchers = watchers;
            this.tables = tables;
            this.wake = wake;
        }

        void wake() {
            try {
                wake.run();
            } catch (RuntimeException e) {
                log.warn("[{}] a callback for enqueued entries failed", tables, LoggedFailure.of(e));
            }
        }

        @Override
        public void close() {
            watchers.registered.computeIfPresent(tables, (watched, registrations) -> {
                registrations.remove(this);
                return registrations.isEmpty() ? null : registrations;
            });
        }
    }
}
