/**
 * Projections of an event store compared with plain JDBC: rates, latency, rebuilds and cutovers. Read {@link
 * dev.spream.benchmarks.projection.ProjectionRate} first.
 */
@NullMarked
package dev.spream.benchmarks.projection;

import org.jspecify.annotations.NullMarked;
