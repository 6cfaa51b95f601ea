package dev.spream.projection;

/**
 * Where a {@link BatchRun} is in its batch: the events before {@link #done} are committed, those from there to {@link #failing} are
 * of aggregates that are to be parked, and as many as are worth trying come behind those, up to {@link #end}. Never moves
 * back from what is committed. Confined to a loop's thread.
 */
final class BatchCursor {
    private final int size;
    private int done;
    private int failing;
    private int width; // of what is tried behind those; 1 or more

    BatchCursor(int size) {
        this.size = size;
        this.width = size;
    }

    boolean isAtEnd() {
        return done == size;
    }

    /** The first event that is not committed. */
    int done() {
        return done;
    }

    /** The first event that may be applied, as far as is known; never before {@link #done}. */
    int failing() {
        return failing;
    }

    /** The first event that the next transaction is without. */
    int end() {
        return Math.min(size, failing + width);
    }

    /** How many events the next transaction may apply. */
    int tried() {
        return end() - failing;
    }

    /** All up to the end is committed. What succeeds is followed by twice as much. */
    void commit() {
        done = end();
        failing = done;
        width = Math.min(size, Math.max(1, 2 * width));
    }

    /** Everything that is not committed is tried at once, whatever has failed. */
    void restart() {
        failing = done;
        width = size;
    }

    void halve() {
        width = tried() / 2;
    }

    /** The next transaction ends before that event, or behind the first that may be applied. */
    void endAt(int event) {
        width = Math.max(1, event - failing);
    }

    /** No event before that one can be applied; it is tried alone. */
    void passTo(int event) {
        failing = event;
        width = 1;
    }
}
