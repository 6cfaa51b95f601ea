package dev.spream.flink;

import dev.spream.core.record.ChangeRecord;
import dev.spream.testkit.subscription.MappedSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;

/** The threads on which the readers of a simulated job read: each takes a record when it is let, and waits otherwise. */
final class SimulatedThreads implements MappedSource.Mapping {

    /** Stops a thread before each record. */
    private static final class Gate {
        private final Semaphore permits = new Semaphore(0);
        private volatile boolean reached;
    }

    private final Map<Thread, Gate> gates = new ConcurrentHashMap<>();
    private final Map<Thread, Integer> readers = new LinkedHashMap<>();

    /** Starts a thread of a reader; one that would measure time ends at once. */
    Thread start(int reader, String name, Runnable task) {
        Thread thread = Thread.ofVirtual().name(name).unstarted(name.contains("timer") ? () -> {} : task);
        gates.put(thread, new Gate());
        readers.put(thread, reader);
        thread.start();
        return thread;
    }

    @Override
    public Optional<ChangeRecord> map(ChangeRecord record) throws InterruptedException {
        Gate gate = gateOf(Thread.currentThread());
        gate.reached = true;
        gate.permits.acquire();
        return Optional.of(record);
    }

    private Gate gateOf(Thread thread) {
        Gate gate = gates.get(thread);
        if (gate == null) {
            throw new IllegalStateException(thread + " is not of the simulation");
        }
        return gate;
    }

    /** Returns the threads of the reader that have a record to take. */
    List<Thread> atRecord(int reader) {
        return readers.entrySet().stream()
                .filter(entry -> entry.getValue() == reader && gateOf(entry.getKey()).reached)
                .map(Map.Entry::getKey)
                .toList();
    }

    void take(Thread thread) {
        Gate gate = gateOf(thread);
        gate.reached = false;
        gate.permits.release();
        settle();
    }

    /** Waits until every thread waits, or has ended. */
    void settle() {
        boolean settled;
        do {
            settled = true;
            for (Thread thread : readers.keySet()) {
                while (isRunning(thread)) {
                    settled = false;
                    Thread.yield();
                }
            }
        } while (!settled);
        readers.keySet().removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
        gates.keySet().retainAll(readers.keySet());
    }

    private static boolean isRunning(Thread thread) {
        return switch (thread.getState()) {
            case NEW, RUNNABLE, BLOCKED -> true;
            case WAITING, TIMED_WAITING, TERMINATED -> false;
        };
    }
}
