package dev.spream.projection;

/**
 * The lease of a segment of a projection.
 *
 * @param segment counted from 0
 * @param epoch raised with each new owner; writes with an earlier one have no effect
 * @param position every event of the segment up to here is dealt with
 */
public record SegmentLease(int segment, long epoch, long position) {}
