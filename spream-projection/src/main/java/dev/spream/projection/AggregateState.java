package dev.spream.projection;

/**
 * The stored state of an aggregate in a projection.
 *
 * @param lastVersion of its events, the last that was applied or skipped; 0 for none
 * @param parked whether the aggregate is parked; then its later events wait as well
 */
public record AggregateState(long lastVersion, boolean parked) {
    /** Of an aggregate of which no event was seen. */
    public static final AggregateState NEW = new AggregateState(0, false);
}
