/**
 * The worker of an outbox: {@link dev.spream.outbox.worker.OutboxWorker} claims entries, sends them and settles them, by
 * its {@link dev.spream.outbox.worker.OutboxWorkerOptions options}, and tells its {@link
 * dev.spream.outbox.worker.OutboxListener listeners}. The way of one entry is the {@code EntryLifecycle}, the order within
 * a key the {@code OrderedClaimPlanner}.
 */
@NullMarked
package dev.spream.outbox.worker;

import org.jspecify.annotations.NullMarked;
