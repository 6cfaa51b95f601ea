package dev.spream.core.subscription;

import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.Delivery;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Records the changes that it received; further behaviour is set per test. Safe for use by many threads. */
final class RecordingConsumer implements Consumer {

    /** The handling of a change before it counts as consumed. */
    interface Behaviour {
        void handle(DataChangeRecord change, Delivery delivery) throws Exception;
    }

    record Consumed(DataChangeRecord change, Delivery delivery) {
        String key() {
            return change.mods().getFirst().keys().string("Id").orElseThrow();
        }

        /** Such as {@code A1}: the key and the second of its commit. */
        String label() {
            return key() + (change.commitTimestamp().getEpochSecond() - ScriptedSource.START.getEpochSecond());
        }
    }

    private final Behaviour behaviour;
    private final List<Consumed> consumed = new ArrayList<>(); // guarded by this
    private final AtomicInteger flushes = new AtomicInteger();

    RecordingConsumer() {
        this((change, delivery) -> {});
    }

    RecordingConsumer(Behaviour behaviour) {
        this.behaviour = behaviour;
    }

    @Override
    public void consume(DataChangeRecord change, Delivery delivery) throws Exception {
        behaviour.handle(change, delivery);
        synchronized (this) {
            consumed.add(new Consumed(change, delivery));
            notifyAll();
        }
    }

    @Override
    public void flush() {
        flushes.incrementAndGet();
    }

    int flushes() {
        return flushes.get();
    }

    synchronized List<Consumed> consumed() {
        return List.copyOf(consumed);
    }

    synchronized List<String> labels() {
        return consumed.stream().map(Consumed::label).toList();
    }

    /** Waits until what was consumed fits, and fails with what was consumed if that takes too long. */
    synchronized void await(Predicate<List<String>> condition) throws InterruptedException {
        long deadline = System.nanoTime() + SubscriberFixture.BOUND.toNanos();
        while (!condition.test(labels())) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                throw new AssertionError("waited in vain; consumed so far: " + labels());
            }
            wait(left);
        }
    }
}
