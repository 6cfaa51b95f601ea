package dev.spream.cli.panel;

import dev.spream.core.consume.DeadLetter.Reason;
import dev.spream.core.consume.DeadLetterStore;
import java.util.Collection;

/** The numbers of open dead letters by state. */
public record DeadLetterCounts(long letters, long failed, long overtaken, long parked, long behind) {

    public static DeadLetterCounts of(Collection<DeadLetterStore.Entry> letters) {
        return new DeadLetterCounts(
                letters.size(),
                count(letters, Reason.FAILED),
                letters.stream().filter(DeadLetterStore.Entry::overtaken).count(),
                count(letters, Reason.PARKED),
                count(letters, Reason.BEHIND_PARKED));
    }

    private static long count(Collection<DeadLetterStore.Entry> letters, Reason reason) {
        return letters.stream().filter(letter -> letter.reason() == reason).count();
    }

    /** Returns a summary of the letters that remain. */
    public static String remaining(DeadLetterStore store) throws Exception {
        return "%s; %s"
                .formatted(of(store.openLetters()), keys(store.parkedKeys().size()));
    }

    public static String keys(int parked) {
        return parked == 1 ? "1 key is parked" : "%d keys are parked".formatted(parked);
    }

    @Override
    public String toString() {
        return letters == 0
                ? "no letters are open"
                : "%d %s open: %d failed (%d overtaken), %d parked, %d behind them"
                        .formatted(
                                letters, letters == 1 ? "letter is" : "letters are", failed, overtaken, parked, behind);
    }
}
