/**
 * The base of the packages of projections in PostgreSQL: transactions and their round trips, the locks and fences of
 * writers, the guard around the code of a projection, and the stored form of texts. Internal to this module.
 */
@NullMarked
package dev.spream.storage.jdbc.projection.internal;

import org.jspecify.annotations.NullMarked;
