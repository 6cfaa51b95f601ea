/**
 * An outbox in a Spanner database of either dialect. Programs enqueue with a {@link
 * dev.spream.storage.spanner.outbox.SpannerOutbox} in their own read-write transactions; workers use a {@link
 * dev.spream.storage.spanner.outbox.SpannerOutboxStore}, operators {@link
 * dev.spream.storage.spanner.outbox.SpannerOutboxOperations}. What a row goes through is in {@code EntryRow}, and the
 * tables are in {@code OutboxSchema}: read these two first. All times are Spanner's.
 */
@NullMarked
package dev.spream.storage.spanner.outbox;

import org.jspecify.annotations.NullMarked;
