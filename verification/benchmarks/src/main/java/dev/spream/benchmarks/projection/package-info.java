/**
 * Projections of an event store beside plain JDBC: rates, latency, rebuilds and cut-overs. Read {@link
 * dev.spream.benchmarks.projection.ProjectionRate} first.
 */
@NullMarked
package dev.spream.benchmarks.projection;

import org.jspecify.annotations.NullMarked;
