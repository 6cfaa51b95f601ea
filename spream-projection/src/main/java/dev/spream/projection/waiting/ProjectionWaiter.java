package dev.spream.projection.waiting;

import static java.util.Objects.requireNonNull;

import dev.spream.core.StorageException;
import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.SectionLock;
import dev.spream.core.internal.Waiter;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionProgress;
import dev.spream.projection.ProjectionStore;
import dev.spream.projection.ProjectionVersion;
import dev.spream.projection.event.RecordedEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Waits until the live version of a projection has processed an event, so that a reader finds what it has written:
 *
 * <pre>{@code
 * ProjectionWaiter movements = ProjectionWaiter.of(store, "movements");
 * RecordedEvent appended = events.append("account-1", ExpectedVersion.any(), List.of(deposit())).getLast();
 * if (movements.await(appended, Duration.ofSeconds(2)).isReached()) {
 *     // read the account
 * }
 * }</pre>
 *
 * <p>It looks at the store of the projection, which may run in any process: one query for all calls that wait, every 10
 * ms while there are new ones, up to every quarter of a second for older ones, and none while there are none. If the
 * projection runs in this process, add {@link #listener} to its manager: calls for aggregates then end as soon as the
 * event is committed.
 *
 * <p>Safe for use by many threads. It holds no resources between calls, and is not closed.
 */
public final class ProjectionWaiter {
    private static final long SHORTEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_PAUSE = TimeUnit.MILLISECONDS.toNanos(250);

    private final ProjectionStore<?> store;
    private final String projection;
    private final MonotonicTime time;
    private final Waiter wake;
    private final SectionLock lock = new SectionLock();
    private final Map<String, List<Ticket>> waiting = new HashMap<>(); // guarded by lock; by aggregate
    private boolean looking; // guarded by lock; whether a thread looks at the store
    private long lastLook; // its start; written by that thread alone
    private volatile String live; // the state that the listener follows

    private ProjectionWaiter(ProjectionStore<?> store, String projection, MonotonicTime time) {
        this.store = requireNonNull(store, "store");
        this.projection = requireNonNull(projection, "projection");
        this.time = time;
        this.wake = new Waiter(time);
        this.lastLook = time.nanoTime() - LONGEST_PAUSE;
        this.live = projection;
    }

    /**
     * Creates a waiter for a projection.
     *
     * @param projection the name of the projection, whose live version is meant, whichever that is
     */
    public static ProjectionWaiter of(ProjectionStore<?> store, String projection) {
        return new ProjectionWaiter(store, projection, MonotonicTime.SYSTEM);
    }

    /**
     * Waits until an event is processed. Of several appended events of an aggregate, wait for the last one.
     *
     * @param limit the maximum time, whatever the store does; zero for a single look. The first look has a second, even if
     *     the limit is shorter
     * @throws StorageException if the store cannot be read, or does not answer, after the limit if that may pass; there is
     *     no such projection
     * @throws InterruptedException if the thread was interrupted
     */
    public WaitOutcome await(RecordedEvent event, Duration limit) throws InterruptedException {
        return await(event.event().aggregateId(), event.event().eventVersion(), event.position(), limit);
    }

    /**
     * Waits as {@link #await} does for the event with that version of an aggregate, such as one that another process
     * has appended. Suits sources without positions as well.
     *
     * @param version 1 or more
     */
    public WaitOutcome awaitVersion(String aggregateId, long version, Duration limit) throws InterruptedException {
        if (aggregateId.isEmpty()) {
            throw new IllegalArgumentException("the id of the aggregate is empty");
        }
        if (version < 1) {
            throw new IllegalArgumentException(
                    "version %d of aggregate '%s': must be 1 or more".formatted(version, aggregateId));
        }
        return await(aggregateId, version, Long.MAX_VALUE, limit);
    }

    /**
     * Waits as {@link #await} does for all events up to a position, which every segment has to reach. Events of parked
     * aggregates count as processed. A segment without events stores its position at most every 200 ms, or, with more
     * than 50 segments, every 4 ms for each of them; so that is how much longer this may take than a wait for an event.
     */
    public WaitOutcome awaitPosition(long position, Duration limit) throws InterruptedException {
        return await(Ticket.NO_AGGREGATE, Long.MAX_VALUE, position, limit);
    }

    private WaitOutcome await(String aggregate, long version, long position, Duration limit)
            throws InterruptedException {
        Ticket ticket = new Ticket(projection, aggregate, version, position, time);
        add(ticket);
        try {
            return ticket.await(TimeUnit.NANOSECONDS.convert(limit));
        } finally {
            lock.run(() -> remove(ticket));
        }
    }

    private void add(Ticket ticket) {
        boolean first = lock.get(() -> {
            waiting.computeIfAbsent(ticket.aggregate(), id -> new ArrayList<>()).add(ticket);
            boolean start = !looking;
            looking = true;
            return start;
        });
        if (first) {
            Thread.ofVirtual().name("spream-projection-" + projection + "-wait").start(this::look);
        } else {
            wake.signal();
        }
    }

    private void remove(Ticket ticket) {
        waiting.computeIfPresent(ticket.aggregate(), (id, tickets) -> {
            tickets.remove(ticket);
            return tickets.isEmpty() ? null : tickets;
        });
    }

    /** Looks at the store until nothing waits any more. */
    private void look() {
        try {
            for (List<Ticket> tickets = toAsk(); !tickets.isEmpty(); tickets = toAsk()) {
                long pause = pause(tickets);
                if (pause > 0) {
                    wake.await(pause);
                } else {
                    ask(tickets);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException("no other code has a reference to this thread", e);
        }
    }

    /** Returns all that wait; if there are none, the thread ends. */
    private List<Ticket> toAsk() {
        return lock.get(() -> {
            looking = !waiting.isEmpty();
            return waiting.values().stream().flatMap(List::stream).toList();
        });
    }

    /** Returns the time until the next look: as long as the latest call had waited when the last one began. */
    private long pause(List<Ticket> tickets) {
        long latest = tickets.stream()
                .map(ticket -> ticket.since() - lastLook)
                .max(Comparator.naturalOrder())
                .orElseThrow();
        return lastLook + Math.clamp(-latest, SHORTEST_PAUSE, LONGEST_PAUSE) - time.nanoTime();
    }

    private void ask(List<Ticket> tickets) {
        lastLook = time.nanoTime();
        Set<String> aggregates = tickets.stream()
                .map(Ticket::aggregate)
                .filter(id -> !id.equals(Ticket.NO_AGGREGATE))
                .collect(Collectors.toSet());
        try {
            ProjectionProgress progress = store.progress(projection, aggregates);
            tickets.forEach(ticket -> ticket.found(progress));
        } catch (Throwable e) { // a failure that ended this thread would leave all calls waiting
            StorageException failure = new StorageException(
                    "waiting for projection '%s' failed: %s".formatted(projection, e.getMessage()),
                    e instanceof StorageException storage && storage.retryable(),
                    e);
            tickets.forEach(ticket -> ticket.failed(failure));
        }
    }

    /** Returns the listener for the manager that runs the projection in this process. */
    public ProjectionListener listener() {
        return new ProjectionListener() {
            @Override
            public void versionsChanged(String name, List<ProjectionVersion> versions) {
                if (name.equals(projection)) {
                    versions.stream()
                            .filter(ProjectionVersion::isLive)
                            .findFirst()
                            .ifPresent(version -> live = version.stateName());
                }
            }

            @Override
            public void advanced(String state, Map<String, Long> versions) {
                if (state.equals(live)) {
                    lock.run(() -> {
                        if (!waiting.isEmpty()) {
                            versions.forEach((id, version) ->
                                    waiting.getOrDefault(id, List.of()).forEach(ticket -> ticket.advanced(version)));
                        }
                    });
                }
            }
        };
    }
}
