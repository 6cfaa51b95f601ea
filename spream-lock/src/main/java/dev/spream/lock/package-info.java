/**
 * Hierarchical locks: shared on the ancestors, exclusive on the target, any set of targets in one call. {@link
 * dev.spream.lock.HierarchicalLocks} is the entry point for programs; {@link dev.spream.lock.LockPlan} decides, without
 * a database, which locks a request needs and in which order; {@link dev.spream.lock.LockStore} is the port that takes
 * them. This package does not depend on a database.
 */
@NullMarked
package dev.spream.lock;

import org.jspecify.annotations.NullMarked;
