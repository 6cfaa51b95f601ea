/**
 * The worker of an outbox: {@link dev.spream.outbox.worker.OutboxWorker} claims entries, sends them and settles them as
 * configured by its {@link dev.spream.outbox.worker.OutboxWorkerOptions options}, and notifies its {@link
 * dev.spream.outbox.worker.OutboxListener listeners}. {@code EntryLifecycle} describes the states of an entry in a
 * worker, {@code OrderedClaimPlanner} the order within an ordering key.
 */
@NullMarked
package dev.spream.outbox.worker;

import org.jspecify.annotations.NullMarked;
