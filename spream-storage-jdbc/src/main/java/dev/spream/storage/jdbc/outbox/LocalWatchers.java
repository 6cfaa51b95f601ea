package dev.spream.storage.jdbc.outbox;

import dev.spream.core.LoggedFailure;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.OutboxStore;
import dev.spream.storage.jdbc.outbox.dialect.OutboxSql;
import dev.spream.storage.jdbc.outbox.dialect.OutboxTables;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workers of this process, by the tables that they watch. Outboxes with the same names in several databases share
 * their notifications, which is harmless. Safe for use by many threads.
 */
final class LocalWatchers {
    private static final Logger log = LoggerFactory.getLogger(LocalWatchers.class);
    static final LocalWatchers OF_THIS_PROCESS = new LocalWatchers();

    private final Map<OutboxTables, Set<Registration>> registered = new ConcurrentHashMap<>();

    private LocalWatchers() {}

    /** @param server returns what identifies the server of the store while it listens, null otherwise */
    Registration add(OutboxTables tables, OutboxStore.Watcher watcher, Supplier<@Nullable String> server) {
        Registration registration = new Registration(this, tables, watcher, server);
        registered
                .computeIfAbsent(tables, watched -> ConcurrentHashMap.newKeySet())
                .add(registration);
        return registration;
    }

    void wake(OutboxTables tables) {
        registered.getOrDefault(tables, Set.of()).forEach(Registration::wake);
    }

    /**
     * Room of a worker for entries that are about to be enqueued.
     *
     * @param destination the destination of the entries
     * @param server identifies the only server on which they may be claimed, as {@link OutboxSql#server} does
     */
    record Reserved(ClaimRoom room, String destination, String server) {}

    /** Reserves room for at most that many entries; null if no worker has room. */
    @Nullable
    Reserved reserve(OutboxTables tables, String destination, int limit) {
        for (Registration each : registered.getOrDefault(tables, Set.of())) {
            String server = each.server.get();
            Optional<ClaimRoom> room = server == null ? Optional.empty() : each.reserve(destination, limit);
            if (server != null && room.isPresent()) {
                return new Reserved(room.get(), destination, server);
            }
        }
        return null;
    }

    /** A registered worker. Closing it ends the registration. The same {@code watcher} can be registered twice. */
    static final class Registration implements AutoCloseable {
        private final LocalWatchers watchers;
        private final OutboxTables tables;
        private final OutboxStore.Watcher watcher;
        private final Supplier<@Nullable String> server;

        private Registration(
                LocalWatchers watchers,
                OutboxTables tables,
                OutboxStore.Watcher watcher,
                Supplier<@Nullable String> server) {
            this.watchers = watchers;
            this.tables = tables;
            this.watcher = watcher;
            this.server = server;
        }

        void wake() {
            try {
                watcher.wake();
            } catch (RuntimeException e) {
                log.warn("[{}] a callback for enqueued entries failed", tables, LoggedFailure.of(e));
            }
        }

        private Optional<ClaimRoom> reserve(String destination, int limit) {
            try {
                return watcher.reserve(destination, limit);
            } catch (RuntimeException e) {
                log.warn("[{}] a worker failed to reserve room for entries", tables, LoggedFailure.of(e));
                return Optional.empty();
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
