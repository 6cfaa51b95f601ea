/**
 * Hierarchical locks beside bare SQL, and the waiting for them. Read {@link
 * dev.spream.benchmarks.locks.LockCost} first.
 */
@NullMarked
package dev.spream.benchmarks.locks;

import org.jspecify.annotations.NullMarked;
