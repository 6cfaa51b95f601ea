/**
 * An event store in PostgreSQL 14 or newer, and the source that delivers its events to projections. Start with {@link
 * dev.spream.storage.jdbc.event.JdbcEventStore}. Nobody who reads in the order of positions passes over an event that commits
 * late: whoever inserts shares a lock, by a trigger, and whoever reads takes it alone for a moment, to know up to which
 * position everything is decided. One thread of a process does so for all of its readers, and keeps what it read for them.
 */
@NullMarked
package dev.spream.storage.jdbc.event;

import org.jspecify.annotations.NullMarked;
