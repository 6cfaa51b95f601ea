package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The report of a completed cut-over.
 *
 * @param from the version that was live
 * @param to the version that is
 * @param pause how long no event was applied to either: reads went on, and saw the one or the other
 * @param losses what was accepted
 */
public record CutoverReport(String projection, int from, int to, Duration pause, Losses losses) {
    public CutoverReport {
        requireNonNull(projection, "projection");
        requireNonNull(pause, "pause");
        requireNonNull(losses, "losses");
    }

    /**
     * Returns the name of the action in the audit: {@code rollback} if an earlier version becomes live, {@code cutover}
     * otherwise.
     */
    public static String action(int from, int to) {
        return to < from ? "rollback" : "cutover";
    }

    /** The kinds of loss that a cutover refuses unless they are accepted. */
    public enum Loss {
        /** Side effects, see {@link Losses#withoutEffects()}. */
        EFFECTS,

        /** Effects that readers have seen, see {@link Losses#parked()} and {@link Losses#skipped()}. */
        PARKED,

        /** Effects of earlier events, see {@link Losses#leftOut()}. */
        EARLIER
    }

    /**
     * The differences between the version that was live and the other one, at the same positions.
     *
     * @param withoutEffects how many aggregates have events that are parked in the old version and not in the new one, which has
     *     dealt with them or begins behind them: no side effects follow from those events
     * @param parked how many aggregates are parked in the new version and further in the old one: readers see them as they were
     *     before, or not at all, until they are tried again
     * @param skipped how many events were skipped in the new version and not in the old one: readers miss what they did
     * @param leftOut how many positions later the events of the new version begin, see {@link ProjectionVersion#from()}: readers
     *     miss what came of those before
     */
    public record Losses(long withoutEffects, long parked, long skipped, long leftOut) {
        public static final Losses NONE = new Losses(0, 0, 0, 0);

        public Losses {
            if (withoutEffects < 0 || parked < 0 || skipped < 0 || leftOut < 0) {
                throw new IllegalArgumentException(
                        "%d aggregates without effects, %d parked, %d events skipped, %d positions left out: below 0"
                                .formatted(withoutEffects, parked, skipped, leftOut));
            }
        }

        /**
         * Checks that the operator has accepted all losses.
         *
         * @param from the version that is live
         * @param to the one that is to be
         * @throws IllegalStateException if not; it says what would be lost and what to do, and that nothing was changed
         */
        public void requireAccepted(Set<Loss> accepted, String projection, int from, int to) {
            List<String> lost = new ArrayList<>();
            List<String> remedies = new ArrayList<>();
            if (withoutEffects > 0 && !accepted.contains(Loss.EFFECTS)) {
                lost.add(
                        "side effects of events of %d aggregates that are parked in version %d, and are dealt with or left out in version %d"
                                .formatted(withoutEffects, from, to));
                remedies.add(
                        "'projection retry %1$s --all', or 'projection skip %1$s --key K --version V', of what 'projection show %1$s' has parked, or cut over without those effects (--drop-effects)"
                                .formatted(projection));
            }
            if (parked + skipped > 0 && !accepted.contains(Loss.PARKED)) {
                lost.add(
                        "what readers see of %d aggregates that are parked in version %d and further in version %d, and of %d events that were skipped in version %d alone"
                                .formatted(parked, to, from, skipped, to));
                remedies.add(
                        "'projection show %1$s@%2$d' has what is parked: with code that can apply it 'projection retry %1$s@%2$d --all'; what was skipped in version %3$d as well, 'projection skip %1$s@%2$d --key K --version V'; or 'projection drop %1$s --version %2$d' and rebuild it; or have readers miss it (--accept-parked)"
                                .formatted(projection, to, from));
            }
            if (leftOut > 0 && !accepted.contains(Loss.EARLIER)) {
                lost.add(
                        "what readers see of events that version %d leaves out, since it begins %,d positions later than version %d"
                                .formatted(to, leftOut, from));
                remedies.add(
                        "drop version %d and build another from an earlier position, or have readers miss what came of those events (--accept-partial)"
                                .formatted(to));
            }
            if (!lost.isEmpty()) {
                throw new IllegalStateException("projection '%s' would lose %s; nothing was changed: %s"
                        .formatted(projection, String.join(", and ", lost), String.join("; ", remedies)));
            }
        }
    }
}
