/**
 * The metrics of subscriptions in the application's Micrometer registry. Only this package uses Micrometer. Read {@link
 * dev.spream.spring.metrics.SpreamMetricsAutoConfiguration} first.
 */
@NullMarked
package dev.spream.spring.metrics;

import org.jspecify.annotations.NullMarked;
