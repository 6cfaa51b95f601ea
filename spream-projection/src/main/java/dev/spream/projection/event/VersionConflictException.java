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
                "aggregate '%s' has version %d, but version %d was expected; nothing was appended: read the aggregate and decide again"
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

    /** Returns the actual version, as far as the store could read it; that of a concurrent append may be missing. */
    public long actual() {
        return actual;
    }
}
