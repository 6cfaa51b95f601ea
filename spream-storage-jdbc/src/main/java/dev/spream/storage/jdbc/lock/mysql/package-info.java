/**
 * Locks of rows in MySQL and MariaDB, what these servers show of them, and what their errors mean. {@link
 * dev.spream.storage.jdbc.lock.mysql.MySqlLockTables} is the way in. Not for users.
 */
@NullMarked
package dev.spream.storage.jdbc.lock.mysql;

import org.jspecify.annotations.NullMarked;
