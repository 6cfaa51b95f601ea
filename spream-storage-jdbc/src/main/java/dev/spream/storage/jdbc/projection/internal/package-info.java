/**
 * The base of the packages of projections in PostgreSQL: transactions and their round trips, the locks and fences of those
 * who write, the code of a projection in the transaction that it is handed, and texts as rows have them. Not for users.
 */
@NullMarked
package dev.spream.storage.jdbc.projection.internal;

import org.jspecify.annotations.NullMarked;
