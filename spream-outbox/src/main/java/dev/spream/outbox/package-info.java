/**
 * The transactional outbox: entries that a transaction left to be sent, and a {@link dev.spream.outbox.worker.OutboxWorker worker}
 * that sends them at least once and settles each in a ledger of idempotency keys. {@link dev.spream.outbox.Outbox} is what a
 * program enqueues with, {@link dev.spream.outbox.OutboxSender} is what it writes, and {@link dev.spream.outbox.OutboxStore}
 * is the port that holds the entries. Nothing here knows a database or a protocol.
 */
@NullMarked
package dev.spream.outbox;

import org.jspecify.annotations.NullMarked;
