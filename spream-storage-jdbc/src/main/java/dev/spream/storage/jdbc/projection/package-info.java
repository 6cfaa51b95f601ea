/**
 * Projections in PostgreSQL 14 or newer: {@link dev.spream.storage.jdbc.projection.JdbcProjectionStore} keeps their
 * state in the database of their read models, so that both are written in one transaction; {@link
 * dev.spream.storage.jdbc.projection.JdbcProjectionOperations} is for operators. A transaction that changes the state
 * of a key locks its row of {@code projection_keys}, several rows in the order of the keys; a transaction that writes
 * effects holds the projection's advisory lock shared, and {@code pause} takes it exclusively.
 */
@NullMarked
package dev.spream.storage.jdbc.projection;

import org.jspecify.annotations.NullMarked;
