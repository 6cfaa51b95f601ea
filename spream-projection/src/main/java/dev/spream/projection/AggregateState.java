package dev.spream.projection;

/**
 * The state of an aggregate, as a projection remembers it.
 *
 * @param lastVersion of its events, the last that was applied or skipped; 0 for none
 * @param parked whether some are set aside; then all that follow are, too
 */
public record AggregateState(long lastVersion, boolean parked) {
    /** Of an aggregate of which no event was seen. */
    public static final AggregateState NEW = new AggregateState(0, false);
}
