package dev.spream.cli.panel;

import dev.spream.core.consume.DeadLetterStore;

/** Text about the dead letters and parked keys that remain. */
public final class RemainingLetters {
    private RemainingLetters() {}

    /** Returns the numbers of open letters by state, and of parked keys. */
    public static String of(DeadLetterStore store) throws Exception {
        DeadLetterStore.Counts counts = store.counts();
        return "%s; %s".formatted(letters(counts), keys(counts.parkedKeys()));
    }

    private static String letters(DeadLetterStore.Counts counts) {
        return counts.letters() == 0
                ? "no letters are open"
                : "%d %s open: %d failed (%d overtaken), %d parked, %d behind them"
                        .formatted(
                                counts.letters(),
                                counts.letters() == 1 ? "letter is" : "letters are",
                                counts.failed(),
                                counts.overtaken(),
                                counts.parked(),
                                counts.behindParked());
    }

    private static String keys(long parked) {
        return parked == 1 ? "1 key is parked" : "%d keys are parked".formatted(parked);
    }
}
