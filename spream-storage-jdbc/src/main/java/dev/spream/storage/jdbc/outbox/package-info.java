/**
 * An outbox in PostgreSQL 14 or newer, and the ledger of its idempotency keys. A program enqueues with
 * {@link dev.spream.storage.jdbc.outbox.JdbcOutbox} in its own transactions; workers use
 * {@link dev.spream.storage.jdbc.outbox.JdbcOutboxStore}. The caller
 * {@link dev.spream.storage.jdbc.outbox.OutboxTables names} the tables. Every statement that takes an entry away from a
 * worker, here or by an operator, raises its {@code claim_token}: by that alone a worker learns that its claim is over.
 */
@NullMarked
package dev.spream.storage.jdbc.outbox;

import org.jspecify.annotations.NullMarked;
