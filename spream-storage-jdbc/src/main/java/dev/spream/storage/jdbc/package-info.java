/**
 * A partition storage in PostgreSQL 14 or newer. {@link dev.spream.storage.jdbc.JdbcPartitionStorage} is the storage,
 * over a data source that the caller owns; {@link dev.spream.storage.jdbc.JdbcPool} opens one with settings that fit.
 * Every method of the storage is one statement, sent in one round trip, so no lock outlives a worker that stops in
 * between. No other adapter knows {@code java.sql}, and nothing in this one knows Spanner.
 */
@NullMarked
package dev.spream.storage.jdbc;

import org.jspecify.annotations.NullMarked;
