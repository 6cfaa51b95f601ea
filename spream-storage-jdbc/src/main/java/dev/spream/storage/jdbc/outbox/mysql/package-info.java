/**
 * An outbox in MySQL and MariaDB, whose transactions lock rows and write them by several statements. {@link
 * dev.spream.storage.jdbc.outbox.mysql.MySqlOutbox} is the entry point. Internal to the outbox of this module.
 */
@NullMarked
package dev.spream.storage.jdbc.outbox.mysql;

import org.jspecify.annotations.NullMarked;
