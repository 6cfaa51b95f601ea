/**
 * Row locks in MySQL and MariaDB, their monitoring, and the mapping of their errors. {@link
 * dev.spream.storage.jdbc.lock.mysql.MySqlLockTables} is the entry point. Internal to the locks of this module.
 */
@NullMarked
package dev.spream.storage.jdbc.lock.mysql;

import org.jspecify.annotations.NullMarked;
