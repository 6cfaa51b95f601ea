/**
 * OpenTelemetry spans for deliveries to a consumer and for attempts to send outbox entries. Start with {@link
 * dev.spream.api.tracing.SpreamTracing} and {@link dev.spream.api.tracing.OutboxTracing}. Only this package uses
 * OpenTelemetry, an optional dependency that the program provides. It depends on the cores and on no other part of
 * spream.
 */
@NullMarked
package dev.spream.api.tracing;

import org.jspecify.annotations.NullMarked;
