/**
 * An outbox in PostgreSQL 14 or newer, and the ledger of its idempotency keys. A program enqueues with {@link
 * dev.spream.storage.jdbc.outbox.JdbcOutbox} in its own transactions; workers use {@link
 * dev.spream.storage.jdbc.outbox.JdbcOutboxStore}. Tables are {@link dev.spream.storage.jdbc.outbox.OutboxTables named} by
 * whoever uses them. Whatever takes an entry away from a worker, here or by hand, raises its {@code claim_token}: by that
 * alone a worker learns that its claim is over.
 */
@NullMarked
package dev.spream.storage.jdbc.outbox;

import org.jspecify.annotations.NullMarked;
