/**
 * The differences between databases in locks, as interfaces that the packages of these databases implement: {@link
 * dev.spream.storage.jdbc.lock.dialect.LockTables} are the tables in one place, {@link
 * dev.spream.storage.jdbc.lock.dialect.LockSql} takes the locks. Internal to the locks of this module.
 */
@NullMarked
package dev.spream.storage.jdbc.lock.dialect;

import org.jspecify.annotations.NullMarked;
