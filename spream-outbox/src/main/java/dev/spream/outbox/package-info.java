/**
 * The transactional outbox: entries that were enqueued by transactions, and a {@link
 * dev.spream.outbox.worker.OutboxWorker worker} that sends them at least once and settles each in a ledger of
 * idempotency keys. A program enqueues with an {@link dev.spream.outbox.Outbox} and implements an {@link
 * dev.spream.outbox.OutboxSender}; {@link dev.spream.outbox.OutboxStore} is the storage port of workers. This package
 * does not depend on a database or a protocol.
 */
@NullMarked
package dev.spream.outbox;

import org.jspecify.annotations.NullMarked;
