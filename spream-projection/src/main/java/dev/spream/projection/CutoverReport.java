package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The report of a completed cutover or rollback: the versions, the pause, and the accepted losses.
 *
 * @param from the version that was live
 * @param to the version that is live now
 * @param pause how long no event was applied to either version; readers were served throughout, from one version or the
 *     other
 * @param losses the losses that were accepted
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
     * The losses of a cutover: the effects of events that the live version has had, or would still have, and the
     * version that replaces it has not. The <em>old</em> version is the live one, the <em>new</em> version the one that
     * becomes live; they are compared at the same positions.
     *
     * @param withoutEffects the number of aggregates with events that are parked in the old version, but not in the new
     *     one, which has processed them or begins after them: the side effects of these events, such as messages, would
     *     never happen, because only the live version has side effects
     * @param parked the number of aggregates that are parked at a lower version in the new version: readers see their
     *     earlier state, or none, until they are retried
     * @param skipped the number of events that were skipped in the new version alone: readers miss their effects
     * @param leftOut the number of positions by which the events of the new version begin later than those of the old
     *     one, see {@link ProjectionVersion#from()}: readers miss the effects of the events in between
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
         * @param to the version that is to become live
         * @throws IllegalStateException if not; the message states the losses and what to do, and that nothing was
         *     changed
         */
        public void requireAccepted(Set<Loss> accepted, String projection, int from, int to) {
            List<String> lost = new ArrayList<>();
            List<String> remedies = new ArrayList<>();
            if (withoutEffects > 0 && !accepted.contains(Loss.EFFECTS)) {
                lost.add(
                        "side effects of events of %d aggregates that are parked in version %d, and are processed or left out in version %d"
                                .formatted(withoutEffects, from, to));
                remedies.add(
                        "'projection retry %1$s --all', or 'projection skip %1$s --key K --version V', for the parked aggregates that 'projection show %1$s' lists, or cut over without those effects (--drop-effects)"
                                .formatted(projection));
            }
            if (parked + skipped > 0 && !accepted.contains(Loss.PARKED)) {
                lost.add(
                        "the current state of %d aggregates that are parked in version %d and more advanced in version %d, and the effects of %d events that were skipped in version %d alone"
                                .formatted(parked, to, from, skipped, to));
                remedies.add(
                        "'projection show %1$s@%2$d' lists the parked aggregates: correct the code and run 'projection retry %1$s@%2$d --all'; for events that were skipped in version %3$d as well, 'projection skip %1$s@%2$d --key K --version V'; or 'projection drop %1$s --version %2$d' and rebuild it; or accept the loss (--accept-parked)"
                                .formatted(projection, to, from));
            }
            if (leftOut > 0 && !accepted.contains(Loss.EARLIER)) {
                lost.add(
                        "the effects of events that version %d leaves out, because it begins %,d positions later than version %d"
                                .formatted(to, leftOut, from));
                remedies.add(
                        "drop version %d and build another from an earlier position, or accept the loss of their effects (--accept-partial)"
                                .formatted(to));
            }
            if (!lost.isEmpty()) {
                throw new IllegalStateException("projection '%s' would lose %s; nothing was changed: %s"
                        .formatted(projection, String.join(", and ", lost), String.join("; ", remedies)));
            }
        }
    }
}
