/**
 * Inspection of locks for operators: holders, waiters, and whether each wait is necessary. {@link
 * dev.spream.lock.inspection.LockObserver} is the port that looks into a database, and {@link
 * dev.spream.lock.inspection.LockExplanation} explains its observation, without a database.
 */
@NullMarked
package dev.spream.lock.inspection;

import org.jspecify.annotations.NullMarked;
