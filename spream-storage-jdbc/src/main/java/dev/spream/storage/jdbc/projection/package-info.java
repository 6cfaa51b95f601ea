/**
 * Projections in PostgreSQL 14 or newer: {@link dev.spream.storage.jdbc.projection.JdbcProjectionStore} keeps what is
 * remembered of them in the database of their read models, so that both are written in one transaction; {@link
 * dev.spream.storage.jdbc.projection.JdbcProjectionOperations} is for people. Whoever changes anything of a key holds its row
 * of {@code projection_keys}, several of them in the order of the keys; whoever writes effects holds the projection's advisory
 * lock as one of many, which {@code pause} takes alone.
 */
@NullMarked
package dev.spream.storage.jdbc.projection;

import org.jspecify.annotations.NullMarked;
