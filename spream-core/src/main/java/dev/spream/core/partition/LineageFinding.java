package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A reason why a lineage does not prove that everything was read.
 *
 * @param kind the rule that is broken
 * @param partitions the partitions that break it, in full
 * @param from the start of the uncovered time, inclusive; empty if no uncovered time is known
 * @param to the end of the uncovered time, exclusive; present exactly when {@code from} is
 * @param message the finding, with tokens and times, and its consequence; one line
 */
public record LineageFinding(
        Kind kind, List<PartitionToken> partitions, Optional<Instant> from, Optional<Instant> to, String message) {

    /** The rule of {@link LineageCheck} that a finding reports as broken. */
    public enum Kind {
        /** The initial query is neither stored nor proven. */
        ROOT_MISSING,
        /** The initial query starts at another time than the subscription. */
        ROOT_START,
        /** A finished partition without a proof of its end. */
        NO_END_PROOF,
        /** A proof names a child that is neither stored nor proven. */
        CHILD_MISSING,
        /** A partition was read, or may have been read, though a parent is neither stored nor proven. */
        PARENT_MISSING,
        /** A partition names a finished parent whose proof does not name it. */
        CHILD_NOT_NAMED,
        /** A partition does not name a parent whose proof names it. */
        PARENT_NOT_NAMED,
        /** Time that no partition and no accepted gap covers. */
        TIME_UNCOVERED,
        /** A child starts before the end of its parent. */
        TIME_OVERLAP,
        /** A bounded end before the end of the subscription, or in one without end. */
        BOUNDED_END,
        /** A partition was settled past its start before a parent was finished. */
        READ_BEFORE_PARENT,
        /** A partition was settled past a move-in before a source was settled up to its move-out. */
        READ_BEFORE_MOVE_OUT,
        /** Key ranges moved in from a partition that is neither stored nor proven. */
        SOURCE_MISSING,
        /** A partition was settled past the time of an added snapshot whose rows are not settled. */
        READ_PAST_SNAPSHOT,
        /** A gap that does not match the records read before and after it. */
        GAP_MISPLACED,
        /** The subscription is completed, and a partition is not finished. */
        NOT_COMPLETE,
        /** A partition was removed with proof, and is stored again. */
        STORED_AGAIN,
        /** Fewer or more partitions from before the time from which on the lineage is proven than there were. */
        KEPT_DIFFER,
        /** Partitions that continue each other in a circle. */
        CYCLE
    }

    public LineageFinding {
        requireNonNull(kind, "kind");
        partitions = List.copyOf(partitions);
        requireNonNull(from, "from");
        requireNonNull(to, "to");
        requireNonNull(message, "message");
        if (from.isPresent() != to.isPresent()) {
            throw new IllegalArgumentException(
                    "uncovered time has a start and an end: from %s, to %s".formatted(from, to));
        }
    }
}
