package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

/** The outcome of a {@link Correction}. */
public sealed interface CorrectionOutcome {

    /** The correction is possible; {@link PartitionStorage#correct} has stored it. */
    record Planned(CorrectionPlan plan) implements CorrectionOutcome {
        public Planned {
            requireNonNull(plan, "plan");
        }
    }

    /**
     * The correction is not possible; nothing was changed.
     *
     * @param reason the obstacle and the remedy; one line
     */
    record Refused(String reason) implements CorrectionOutcome {
        public Refused {
            requireNonNull(reason, "reason");
        }
    }

    /** Returns the outcome for a storage without a subscription. */
    static CorrectionOutcome nothingStored() {
        return new Refused("no subscription is stored; run it once, with the start and the end that it should have");
    }
}
