/**
 * Takes the locks of a hierarchy in a database. {@link dev.spream.storage.jdbc.lock.JdbcLockStore} is the store;
 * implementations of {@link dev.spream.storage.jdbc.lock.dialect.LockSql} have the statements of a strategy in one kind
 * of database. {@link dev.spream.lock} plans the locks of a request; here they are keys in the order in which to take
 * them.
 */
@NullMarked
package dev.spream.storage.jdbc.lock;

import org.jspecify.annotations.NullMarked;
