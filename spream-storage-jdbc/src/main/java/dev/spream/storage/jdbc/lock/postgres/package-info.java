/**
 * Locks in PostgreSQL: advisory locks and row locks, their monitoring, and the mapping of its errors. {@link
 * dev.spream.storage.jdbc.lock.postgres.PostgresLockTables} is the entry point. Internal to the locks of this module.
 */
@NullMarked
package dev.spream.storage.jdbc.lock.postgres;

import org.jspecify.annotations.NullMarked;
