/**
 * Hierarchical locks compared with plain SQL, and the waits for them. Read {@link dev.spream.benchmarks.locks.LockCost}
 * first.
 */
@NullMarked
package dev.spream.benchmarks.locks;

import org.jspecify.annotations.NullMarked;
