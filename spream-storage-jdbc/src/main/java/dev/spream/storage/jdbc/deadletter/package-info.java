/**
 * Dead letters in PostgreSQL, for several processes at once.
 * {@link dev.spream.storage.jdbc.deadletter.JdbcDeadLetterStore} is the store; its Javadoc explains its correctness.
 * Independent of partition storages: it may have a database of its own.
 */
@NullMarked
package dev.spream.storage.jdbc.deadletter;

import org.jspecify.annotations.NullMarked;
