package dev.spream.emulator.internal.function;

import dev.spream.emulator.internal.sql.SequenceChange;
import dev.spream.emulator.internal.sql.SequenceOptions;
import java.util.OptionalLong;

/**
 * The counter of a bit-reversed positive sequence. A value that was taken does not come back when its transaction is
 * rolled back. Safe for use by many threads.
 *
 * @see <a href="https://cloud.google.com/spanner/docs/primary-key-default-value#bit-reversed-sequence">Spanner:
 *     bit-reversed sequences</a>
 */
public final class BitReversedSequence {
    private SequenceOptions options;
    private long next;
    private boolean used;

    public BitReversedSequence(SequenceOptions options) {
        this.options = options;
        this.next = options.start().orElse(1);
    }

    public synchronized SequenceOptions options() {
        return options;
    }

    public synchronized void change(SequenceChange change) {
        options = options.with(change);
        if (change.start().isPresent()) {
            next = change.start().getAsLong();
        }
    }

    /** Returns the next value: the counter with its bits reversed, without the sign. */
    synchronized long nextValue() {
        used = true;
        while (true) {
            long value = Long.reverse(next++) >>> 1;
            if (options.skipped()
                    .filter(range -> range.min() <= value && value <= range.max())
                    .isEmpty()) {
                return value;
            }
        }
    }

    /** Returns the next counter; empty if no value was taken yet. */
    synchronized OptionalLong state() {
        return used ? OptionalLong.of(next) : OptionalLong.empty();
    }
}
