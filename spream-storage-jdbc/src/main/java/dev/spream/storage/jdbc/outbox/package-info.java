/**
 * An outbox in PostgreSQL, MySQL or MariaDB, and the ledger of its idempotency keys. A program enqueues with {@link
 * dev.spream.storage.jdbc.outbox.JdbcOutbox} in its own transactions; workers use {@link
 * dev.spream.storage.jdbc.outbox.JdbcOutboxStore}. The statements are those of an {@link
 * dev.spream.storage.jdbc.outbox.dialect.OutboxSql}, which for PostgreSQL is in this package. Every statement that takes
 * an entry from a worker, on behalf of another worker or an operator, increments its {@code claim_token}, by which the
 * worker's later writes are rejected.
 */
@NullMarked
package dev.spream.storage.jdbc.outbox;

import org.jspecify.annotations.NullMarked;
