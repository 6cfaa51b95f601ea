/**
 * An event store in PostgreSQL 14 or newer, and the source that delivers its events to projections. Start with
 * {@link dev.spream.storage.jdbc.event.JdbcEventStore}. No reader in the order of positions misses an event that
 * commits late: a trigger makes each inserting transaction share a lock, and a reader takes the lock exclusively for a
 * moment to find the high-water mark. One thread of a process does so for all its feeds, and buffers the events that it
 * read.
 */
@NullMarked
package dev.spream.storage.jdbc.event;

import org.jspecify.annotations.NullMarked;
