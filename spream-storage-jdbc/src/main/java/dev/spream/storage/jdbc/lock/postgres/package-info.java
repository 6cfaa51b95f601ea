/**
 * Locks in PostgreSQL: advisory locks and locks of rows, what the server shows of them, and what its errors mean. {@link
 * dev.spream.storage.jdbc.lock.postgres.PostgresLockTables} is the way in. Not for users.
 */
@NullMarked
package dev.spream.storage.jdbc.lock.postgres;

import org.jspecify.annotations.NullMarked;
