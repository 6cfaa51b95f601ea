/**
 * Spans of deliveries in the application's OpenTelemetry. Only this package uses OpenTelemetry. Read {@link
 * dev.spream.spring.tracing.SpreamTracingAutoConfiguration} first.
 */
@NullMarked
package dev.spream.spring.tracing;

import org.jspecify.annotations.NullMarked;
