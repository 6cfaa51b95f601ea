package dev.spream.projection.event;

/**
 * The version that an aggregate must have, so that events may be appended to it: that of its last event, 0 if it has
 * none.
 */
public sealed interface ExpectedVersion {
    /** Any version. */
    record Any() implements ExpectedVersion {}

    /** Exactly that version; 0 if there must be no event of the aggregate yet. */
    record Exactly(long version) implements ExpectedVersion {
        public Exactly {
            if (version < 0) {
                throw new IllegalArgumentException("expected version is %d, must be 0 or more".formatted(version));
            }
        }
    }

    static ExpectedVersion any() {
        return new Any();
    }

    /** Returns the expectation that the aggregate does not exist yet. */
    static ExpectedVersion none() {
        return new Exactly(0);
    }

    static ExpectedVersion exactly(long version) {
        return new Exactly(version);
    }
}
