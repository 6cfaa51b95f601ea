package dev.spream.projection;

/**
 * A segment of a projection that somebody holds.
 *
 * @param segment counted from 0
 * @param epoch raised each time it goes to somebody else; whoever has an earlier one writes nothing any more
 * @param position every event of the segment up to here is dealt with
 */
public record SegmentLease(int segment, long epoch, long position) {}
