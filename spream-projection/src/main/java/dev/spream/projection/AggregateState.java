package dev.spream.projection;

/**
 * The stored state of an aggregate in a projection.
 *
 * @param lastVersion the version of its last event that was applied or skipped; 0 if there is none
 * @param parked whether the aggregate is parked, so that its later events wait as well
 */
public record AggregateState(long lastVersion, boolean parked) {
    /** The state of an aggregate without processed events. */
    public static final AggregateState NEW = new AggregateState(0, false);
}
