/**
 * The shared part of an outbox in any kind of database, and the differences as interfaces: {@link
 * dev.spream.storage.jdbc.outbox.dialect.OutboxSql} are the statements, {@link
 * dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase} runs them. Internal to the outbox of this module.
 */
@NullMarked
package dev.spream.storage.jdbc.outbox.dialect;

import org.jspecify.annotations.NullMarked;
