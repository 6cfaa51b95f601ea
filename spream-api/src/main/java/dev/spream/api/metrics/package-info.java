/**
 * Micrometer metrics: {@link dev.spream.api.metrics.SpreamMetrics} is a listener of subscriptions, {@link
 * dev.spream.api.metrics.LockMetrics} one of locks, {@link dev.spream.api.metrics.OutboxMetrics} one of an outbox
 * worker, {@link dev.spream.api.metrics.ProjectionMetrics} one of projections; {@code docs/metrics.md} lists the
 * meters. Only this package uses Micrometer, an optional dependency that the program provides. It depends on the cores
 * and on no other part of spream.
 */
@NullMarked
package dev.spream.api.metrics;

import org.jspecify.annotations.NullMarked;
