/**
 * Spans of the calls that hand changes to a consumer, and of the attempts to send entries of an outbox, by OpenTelemetry.
 * Start with {@link dev.spream.api.tracing.SpreamTracing} and {@link dev.spream.api.tracing.OutboxTracing}. This package is
 * the only one of the API that uses OpenTelemetry, which is there only if the program brings it. It knows the cores, and
 * nothing else of spream.
 */
@NullMarked
package dev.spream.api.tracing;

import org.jspecify.annotations.NullMarked;
