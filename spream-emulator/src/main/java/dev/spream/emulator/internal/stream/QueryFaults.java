package dev.spream.emulator.internal.stream;

import dev.spream.emulator.control.Fault;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The fault of one query, and the number of rows before it. The query's thread reports the rows it sent, checks for the
 * fault, and closes it; any thread may arm a fault. At most one fault is armed at a time.
 */
final class QueryFaults implements AutoCloseable {

    /** The origin of a fault, which decides whether it is kept when the query ends before it strikes. */
    enum Origin {
        DRAWN,
        CALLED_FOR_NEXT,
        CALLED_FOR_RUNNING
    }

    private record Armed(Fault fault, Origin origin, long dueRows) {}

    private final StreamFaults stream;
    private final String token;
    private final AtomicReference<@Nullable Armed> armed = new AtomicReference<>();

    // Written by the query's thread only.
    private final AtomicLong rows = new AtomicLong();
    private long changes;
    private boolean behindClosingRecord;
    private boolean hasSentMoveIn;
    private long stalledAfterClears;

    /** @param token the token of the partition; empty for the initial query */
    QueryFaults(StreamFaults stream, String token) {
        this.stream = stream;
        this.token = token;
    }

    boolean matches(Fault fault) {
        return fault.partition().map(token::equals).orElse(true);
    }

    /** Arms a fault whose rows count from now; returns false if one that was injected by call is armed already. */
    boolean arm(Fault fault, Origin origin) {
        Armed next = new Armed(fault, origin, rows.get() + fault.afterRows());
        Armed previous = armed.get();
        return (previous == null || previous.origin == Origin.DRAWN) && armed.compareAndSet(previous, next);
    }

    void disarm() {
        armed.updateAndGet(current -> current == null || current.origin == Origin.DRAWN ? current : null);
    }

    /** Returns whether a fault that was injected by call has not taken effect yet. */
    boolean isPending() {
        Armed current = armed.get();
        return current != null && current.origin != Origin.DRAWN;
    }

    /**
     * Records that the query resumes after a record that closes its partition: an end before the next one would be
     * taken for the real end.
     */
    void resumedBehindClosingRecord() {
        behindClosingRecord = true;
    }

    /** Returns how many rows may be sent before the fault takes effect; at most {@code max}. */
    int room(int max) {
        Armed next = armed.get();
        if (next == null || next.fault.kind() == Fault.Kind.BETWEEN_CHILD_RECORDS) {
            return max;
        }
        return Math.clamp(next.dueRows - rows.get(), canTrigger(next) ? 0 : 1, max);
    }

    /** Records that rows were sent, {@code changeCount} of them change records. */
    void sent(int rowCount, int changeCount) {
        rows.addAndGet(rowCount);
        changes += changeCount;
    }

    /** Records that an event with move-ins was sent. */
    void sentMoveIn() {
        hasSentMoveIn = true;
    }

    /**
     * Returns the fault that takes effect now, if any; it is counted and no longer armed.
     *
     * @param atEnd whether a child record or the query's end comes next
     */
    Optional<Fault.Kind> trigger(boolean atEnd) {
        Armed next = armed.get();
        boolean due = next != null
                && next.fault.kind() != Fault.Kind.BETWEEN_CHILD_RECORDS
                && canTrigger(next)
                && (atEnd || rows.get() >= next.dueRows);
        return due ? take(next) : Optional.empty();
    }

    private boolean canTrigger(Armed next) {
        return switch (next.fault.kind()) {
            case DUPLICATES -> changes > 0;
            case STALL -> next.origin != Origin.DRAWN || rows.get() > 0;
            case OLD_EVENT -> hasSentMoveIn;
            case CLEAN_END -> !behindClosingRecord;
            default -> true;
        };
    }

    /** Returns whether the query breaks after the partition record, of any kind, that it has sent. */
    boolean triggersAfterPartitionRecord() {
        Armed next = armed.get();
        return next != null
                && next.fault.kind() == Fault.Kind.BETWEEN_CHILD_RECORDS
                && rows.get() >= next.dueRows
                && take(next).isPresent();
    }

    private Optional<Fault.Kind> take(@Nullable Armed due) {
        // Read before: a clear after this point has to end the stall.
        stalledAfterClears = stream.clears();
        if (due == null || !armed.compareAndSet(due, null)) {
            return Optional.empty();
        }
        stream.triggered(due.fault.kind());
        return Optional.of(due.fault.kind());
    }

    /** Returns whether a stall is in effect. */
    boolean isStalled() {
        return stalledAfterClears == stream.clears();
    }

    /** Ends the query: a fault for it that has not taken effect is passed on to the next query. */
    @Override
    public void close() {
        Armed left = armed.getAndSet(null);
        boolean forNext = left != null && left.origin == Origin.CALLED_FOR_NEXT;
        stream.end(this, forNext ? Optional.of(left.fault) : Optional.empty());
    }
}
