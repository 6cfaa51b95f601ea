/**
 * An outbox in PostgreSQL 14 or newer, and the ledger of its idempotency keys. A program enqueues with {@link
 * dev.spream.storage.jdbc.outbox.JdbcOutbox} in its own transactions; workers use {@link
 * dev.spream.storage.jdbc.outbox.JdbcOutboxStore}. The caller {@link dev.spream.storage.jdbc.outbox.OutboxTables names}
 * the tables. Every statement that takes an entry from a worker, on behalf of another worker or an operator, increments
 * its {@code claim_token}, by which the worker's later writes are rejected.
 */
@NullMarked
package dev.spream.storage.jdbc.outbox;

import org.jspecify.annotations.NullMarked;
