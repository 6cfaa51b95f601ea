package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.Fault;
import dev.spream.emulator.control.FaultControl;
import dev.spream.emulator.internal.stream.QueryFaults.Origin;
import dev.spream.emulator.internal.streamsql.ChangeStreamQuery;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** The faults of the queries of one stream. Assigns each query its fault when it begins. */
final class StreamFaults implements FaultControl {
    private final Runnable wakeQueries;
    private final AtomicLong clears = new AtomicLong();

    // Guarded by this.
    private final FaultDraw draw;
    private final Deque<Fault> waiting = new ArrayDeque<>();
    private final Set<QueryFaults> running = new LinkedHashSet<>();
    private final Map<Fault.Kind, Integer> triggered = new EnumMap<>(Fault.Kind.class);

    /** @param wakeQueries wakes the stream's queries, so that they check for a fault */
    StreamFaults(FaultDraw draw, Runnable wakeQueries) {
        this.draw = draw;
        this.wakeQueries = wakeQueries;
    }

    /**
     * Returns the faults of a query that begins now; the query closes them when it ends.
     *
     * @param endIsProof whether a clean end of the query counts as its real end
     */
    synchronized QueryFaults begin(ChangeStreamQuery query, boolean endIsProof) {
        String token = query.partition().orElse("");
        QueryFaults faults = new QueryFaults(this, token);
        draw.next(token, endIsProof).ifPresent(fault -> faults.arm(fault, Origin.DRAWN));
        takeWaiting(faults).ifPresent(fault -> faults.arm(fault, Origin.CALLED_FOR_NEXT));
        running.add(faults);
        return faults;
    }

    private Optional<Fault> takeWaiting(QueryFaults faults) {
        for (Iterator<Fault> each = waiting.iterator(); each.hasNext(); ) {
            Fault fault = each.next();
            if (faults.matches(fault)) {
                each.remove();
                return Optional.of(fault);
            }
        }
        return Optional.empty();
    }

    synchronized void end(QueryFaults faults, Optional<Fault> left) {
        left.ifPresent(waiting::addFirst);
        running.remove(faults);
    }

    synchronized void triggered(Fault.Kind kind) {
        triggered.merge(kind, 1, Integer::sum);
    }

    long clears() {
        return clears.get();
    }

    @Override
    public synchronized void next(Fault fault) {
        waiting.add(fault);
    }

    @Override
    public int running(Fault fault) {
        int armed = arm(fault);
        wakeQueries.run();
        return armed;
    }

    private synchronized int arm(Fault fault) {
        return (int) running.stream()
                .filter(query -> query.matches(fault) && query.arm(fault, Origin.CALLED_FOR_RUNNING))
                .count();
    }

    @Override
    public synchronized int pending() {
        return waiting.size()
                + (int) running.stream().filter(QueryFaults::isPending).count();
    }

    @Override
    public void clear() {
        synchronized (this) {
            waiting.clear();
            running.forEach(QueryFaults::disarm);
            clears.incrementAndGet();
        }
        wakeQueries.run();
    }

    @Override
    public synchronized Counts counts() {
        return new Counts(triggered);
    }
}
