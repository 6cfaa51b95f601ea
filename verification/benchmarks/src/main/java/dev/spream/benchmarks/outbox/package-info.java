/**
 * The outbox beside libraries of jobs. Read {@link
 * dev.spream.benchmarks.outbox.OutboxRate} first.
 */
@NullMarked
package dev.spream.benchmarks.outbox;

import org.jspecify.annotations.NullMarked;
