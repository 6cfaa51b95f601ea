package dev.spream.storage.jdbc.event;

import dev.spream.core.internal.SectionLock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;

/**
 * A buffer of the most recently read events, without a gap, for feeds that lag little. It is bounded by number and
 * size. Safe for use by many threads.
 */
final class RecentEvents {
    static final int MAX_EVENTS = 20_000;
    private static final long MAX_BYTES = 32L << 20;

    private final SectionLock lock = new SectionLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Part> parts = new ArrayDeque<>(); // guarded by lock, as all below
    private boolean begun;
    private long from;
    private long to;
    private int count;
    private long bytes;

    /** The result of one read: the events after {@code from} up to {@code to}. */
    private record Part(List<StoredEvent> events, long from, long to, long bytes) {}

    /** Clears the buffer, which continues after that position. */
    void beginAt(long position) {
        begin(position, true);
    }

    /** Clears the buffer until it begins again. */
    void forget() {
        begin(0, false);
    }

    private void begin(long position, boolean known) {
        lock.run(() -> {
            parts.clear();
            begun = known;
            from = position;
            to = position;
            count = 0;
            bytes = 0;
            changed.signalAll();
        });
    }

    /**
     * Adds the events after {@code after}, up to the end of the slice, and evicts the oldest. Has no effect if the
     * buffer does not end at {@code after}, because another session has read more or restarted.
     */
    void add(long after, SlotSlice slice) {
        long size = slice.events().stream().mapToLong(StoredEvent::bytes).sum();
        lock.run(() -> {
            if (!begun || after != to) {
                return;
            }
            parts.addLast(new Part(slice.events(), to, slice.to(), size));
            to = slice.to();
            count += slice.events().size();
            bytes += size;
            makeRoom();
            changed.signalAll();
        });
    }

    private void makeRoom() {
        while (parts.size() > 1 && (count > MAX_EVENTS || bytes > MAX_BYTES)) {
            Part oldest = parts.removeFirst();
            from = oldest.to();
            count -= oldest.events().size();
            bytes -= oldest.bytes();
        }
    }

    /** Returns the position where the buffer ends; empty while it has no events. */
    Optional<Long> end() {
        return lock.get(() -> begun ? Optional.of(to) : Optional.empty());
    }

    /** Returns the next events of some slots; empty if the buffer does not have all events after the position. */
    Optional<SlotSlice> after(long position, SlotRange slots, int limit) {
        return lock.get(
                () -> begun && position >= from ? Optional.of(slice(position, slots, limit)) : Optional.empty());
    }

    private SlotSlice slice(long position, SlotRange slots, int limit) {
        List<StoredEvent> found = new ArrayList<>();
        for (Part part : partsBehind(position)) {
            for (StoredEvent event : part.events()) {
                if (event.position() > position && slots.contains(event)) {
                    found.add(event);
                    if (found.size() == limit) {
                        return new SlotSlice(found, event.position());
                    }
                }
            }
        }
        return new SlotSlice(found, Math.max(position, to));
    }

    /** Searches from the end, where nearly all feeds read. */
    private List<Part> partsBehind(long position) {
        Deque<Part> behind = new ArrayDeque<>();
        Iterator<Part> backwards = parts.descendingIterator();
        while (backwards.hasNext()) {
            Part part = backwards.next();
            if (part.to() <= position) {
                break;
            }
            behind.addFirst(part);
        }
        return List.copyOf(behind);
    }

    /** Waits until there are new events after the position, or {@code stop} is true after a wake-up. */
    void await(long position, BooleanSupplier stop, Duration atMost) throws InterruptedException {
        long left = TimeUnit.NANOSECONDS.convert(atMost);
        lock.lockInterruptibly();
        try {
            while ((!begun || to <= position) && !stop.getAsBoolean() && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Wakes waiting feeds so that they check whether to stop. */
    void wakeAll() {
        lock.run(changed::signalAll);
    }
}
