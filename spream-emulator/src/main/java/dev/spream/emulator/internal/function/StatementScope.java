package dev.spream.emulator.internal.function;

import java.time.Instant;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The time and the sequences that the functions of the engine use while a statement runs on the same thread. The time is
 * the same for all rows of a statement.
 */
public final class StatementScope {
    private static final ThreadLocal<@Nullable StatementScope> CURRENT = new ThreadLocal<>();

    private final Supplier<Instant> clock;
    private final Function<String, BitReversedSequence> sequences;
    private @Nullable Instant now;

    private StatementScope(Supplier<Instant> clock, Function<String, BitReversedSequence> sequences) {
        this.clock = clock;
        this.sequences = sequences;
    }

    @FunctionalInterface
    public interface Work<T, E extends Exception> {
        T run() throws E;
    }

    /** Runs a statement with a clock and with sequences by name. */
    public static <T, E extends Exception> T run(
            Supplier<Instant> clock, Function<String, BitReversedSequence> sequences, Work<T, E> statement) throws E {
        StatementScope outer = CURRENT.get();
        CURRENT.set(new StatementScope(clock, sequences));
        try {
            return statement.run();
        } finally {
            if (outer == null) {
                CURRENT.remove();
            } else {
                CURRENT.set(outer);
            }
        }
    }

    static StatementScope current() {
        StatementScope current = CURRENT.get();
        if (current == null) {
            throw new IllegalStateException("no statement of the emulator runs on this thread");
        }
        return current;
    }

    Instant now() {
        Instant known = now;
        if (known == null) {
            known = clock.get();
            now = known;
        }
        return known;
    }

    BitReversedSequence sequence(String name) {
        return sequences.apply(name);
    }
}
