package dev.spream.projection.event;

import dev.spream.core.SpreamException;

/** An aggregate does not have the expected version, because another append came first. Nothing was appended. */
public final class VersionConflictException extends SpreamException {
    private static final long serialVersionUID = 1L;

    private final String aggregateId;
    private final long expected;
    private final long actual;

    public VersionConflictException(String aggregateId, long expected, long actual) {
        super(
                "aggregate '%s' has version %d, expected was %d; nothing was appended: read the aggregate and decide again"
                        .formatted(aggregateId, actual, expected),
                null);
        this.aggregateId = aggregateId;
        this.expected = expected;
        this.actual = actual;
    }

    public String aggregateId() {
        return aggregateId;
    }

    public long expected() {
        return expected;
    }

    /** The version that it has, as far as the store could see; that of an append at the same moment may be missing. */
    public long actual() {
        return actual;
    }
}
