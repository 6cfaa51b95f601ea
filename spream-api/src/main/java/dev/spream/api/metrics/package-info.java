/**
 * Meters in a Micrometer registry: {@link dev.spream.api.metrics.SpreamMetrics} is a listener of running subscriptions,
 * {@link dev.spream.api.metrics.LockMetrics} one of locks, {@link dev.spream.api.metrics.OutboxMetrics} one of the worker
 * of an outbox, {@link dev.spream.api.metrics.ProjectionMetrics} one of projections; {@code docs/metrics.md} lists the
 * meters. This package is the only one of the API that uses Micrometer, which is there only if the program brings it. It
 * knows the cores, and nothing else of spream.
 */
@NullMarked
package dev.spream.api.metrics;

import org.jspecify.annotations.NullMarked;
