package dev.spream.projection;

/**
 * The lease of a segment of a projection.
 *
 * @param segment its number, from 0
 * @param epoch raised with each new owner; writes with an earlier one have no effect
 * @param position the position up to which every event of the segment is processed
 */
public record SegmentLease(int segment, long epoch, long position) {}
