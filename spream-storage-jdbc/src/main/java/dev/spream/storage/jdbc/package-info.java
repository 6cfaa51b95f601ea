/**
 * A partition storage in PostgreSQL 14 or newer. {@link dev.spream.storage.jdbc.JdbcPartitionStorage} is the storage,
 * over a data source that the caller owns; {@link dev.spream.storage.jdbc.JdbcPool} opens one with suitable settings.
 * Every method of the storage is one statement, sent in one round trip, so no lock outlives a worker that stops between
 * two statements. Only this adapter uses {@code java.sql}, and it does not depend on Spanner.
 */
@NullMarked
package dev.spream.storage.jdbc;

import org.jspecify.annotations.NullMarked;
