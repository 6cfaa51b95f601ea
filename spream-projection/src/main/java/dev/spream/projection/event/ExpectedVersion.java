package dev.spream.projection.event;

/**
 * The version that an aggregate must have, so that events may be appended to it: that of its last event, 0 if it has
 * none.
 */
public sealed interface ExpectedVersion {
    /** Whatever it has. */
    record Any() implements ExpectedVersion {}

    /** Exactly that; 0 if there must be no event of it yet. */
    record Exactly(long version) implements ExpectedVersion {
        public Exactly {
            if (version < 0) {
                throw new IllegalArgumentException("expected version %d: versions are not negative".formatted(version));
            }
        }
    }

    static ExpectedVersion any() {
        return new Any();
    }

    /** The aggregate must not be there yet. */
    static ExpectedVersion none() {
        return new Exactly(0);
    }

    static ExpectedVersion exactly(long version) {
        return new Exactly(version);
    }
}
