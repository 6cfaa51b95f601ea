package dev.spream.storage.spanner.outbox;

import dev.spream.core.LoggedFailure;
import dev.spream.outbox.ClaimRoom;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workers of this process, by the names of their outboxes. Safe for use by many threads. */
final class ProcessWatchers {
    private static final Logger log = LoggerFactory.getLogger(ProcessWatchers.class);
    private static final Map<String, List<Registration>> REGISTERED = new ConcurrentHashMap<>();

    private ProcessWatchers() {}

    /** A registration; a watcher that is registered twice is called twice. */
    private static final class Registration {
        private final OutboxStore.Watcher watcher;

        private Registration(OutboxStore.Watcher watcher) {
            this.watcher = watcher;
        }
    }

    static OutboxStore.Watch add(SpannerOutboxDatabase database, OutboxStore.Watcher watcher) {
        List<Registration> watchers = REGISTERED.computeIfAbsent(database.name(), name -> new CopyOnWriteArrayList<>());
        Registration registration = new Registration(watcher);
        watchers.add(registration);
        return () -> watchers.remove(registration);
    }

    static void wake(SpannerOutboxDatabase database) {
        for (Registration each : REGISTERED.getOrDefault(database.name(), List.of())) {
            try {
                each.watcher.wake();
            } catch (RuntimeException e) {
                log.warn("[{}] a callback for enqueued entries failed", database.tables(), LoggedFailure.of(e));
            }
        }
    }

    /** Room of a worker for entries that are about to be enqueued for a destination. */
    record Reserved(ClaimRoom room, String destination) {
        boolean isFor(OutboxMessage message) {
            return message.destination().equals(destination);
        }
    }

    /** Reserves room for at most that many entries. */
    static Optional<Reserved> reserve(SpannerOutboxDatabase database, String destination, int limit) {
        for (Registration each : REGISTERED.getOrDefault(database.name(), List.of())) {
            try {
                Optional<ClaimRoom> room = each.watcher.reserve(destination, limit);
                if (room.isPresent()) {
                    return room.map(reserved -> new Reserved(reserved, destination));
                }
            } catch (RuntimeException e) {
                log.warn("[{}] a worker failed to reserve room for entries", database.tables(), LoggedFailure.of(e));
            }
        }
        return Optional.empty();
    }
}
