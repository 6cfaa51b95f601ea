/**
 * Takes the locks of a hierarchy in a database. {@link dev.spream.storage.jdbc.lock.JdbcLockStore} is the store, for
 * each kind of database {@link dev.spream.storage.jdbc.lock.dialect.LockSql} has the statements by which a strategy
 * takes locks in it. Which locks a request needs is decided in {@link dev.spream.lock}; here they are keys in the order
 * in which to take them.
 */
@NullMarked
package dev.spream.storage.jdbc.lock;

import org.jspecify.annotations.NullMarked;
