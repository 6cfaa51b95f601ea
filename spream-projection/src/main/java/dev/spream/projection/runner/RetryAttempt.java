package dev.spream.projection.runner;

import dev.spream.projection.ProjectionStore;
import dev.spream.projection.event.EventEnvelope;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One transaction for events of a parked aggregate. Confined to a loop's thread. */
final class RetryAttempt<T> implements ProjectionStore.RetryWork<T> {
    private final BatchPlanner planner;
    private final EventWriter<T> writer;
    private final List<EventEnvelope> handle = new ArrayList<>();
    private List<EventEnvelope> given = List.of();
    private int taken;
    private long version;
    private boolean gap;
    private @Nullable EventEnvelope current;
    private @Nullable Throwable thrown;

    RetryAttempt(BatchPlanner planner, EventWriter<T> writer) {
        this.planner = planner;
        this.writer = writer;
    }

    @Override
    public long apply(T transaction, long lastVersion, List<EventEnvelope> events) throws Exception {
        plan(lastVersion, events);
        try {
            writer.write(transaction, handle, event -> current = event);
        } catch (Throwable t) {
            thrown = t;
            throw t;
        }
        current = null;
        return version;
    }

    private void plan(long lastVersion, List<EventEnvelope> events) {
        handle.clear();
        given = events;
        taken = 0;
        version = lastVersion;
        gap = false;
        for (EventEnvelope event : events) {
            if (event.eventVersion() > version) {
                gap = !planner.follows(event, version);
                if (gap) {
                    return;
                }
                version = event.eventVersion();
                if (planner.handles(event)) {
                    handle.add(event);
                }
            }
            taken++;
        }
    }

    boolean threw(Throwable failure) {
        return failure.equals(thrown);
    }

    /** Returns the number of events before the one that failed; -1 if it may be any of several. */
    int before() {
        if (current != null) {
            return given.indexOf(current);
        }
        return handle.size() == 1 ? given.indexOf(handle.getFirst()) : -1;
    }

    /** Returns the version of the first event that was passed; empty if the store passed none. */
    OptionalLong firstVersion() {
        return given.isEmpty()
                ? OptionalLong.empty()
                : OptionalLong.of(given.getFirst().eventVersion());
    }

    /** Returns the version of the first event that is left if the attempt succeeded, as far as known. */
    long nextVersion() {
        return taken < given.size() ? given.get(taken).eventVersion() : version + 1;
    }

    /** Returns the events to apply. */
    List<EventEnvelope> handle() {
        return handle;
    }

    /** Returns the number of events that are processed if it succeeded. */
    int taken() {
        return taken;
    }

    /** Returns the version of the first event that is left: the one after the gap, or the one that failed. */
    long firstLeft() {
        return given.get(gap ? taken : 0).eventVersion();
    }

    /** Returns whether it stopped before a missing event, the one after {@link #version}. */
    boolean hasGap() {
        return gap;
    }

    /** Returns the last version that was applied. */
    long version() {
        return version;
    }
}
