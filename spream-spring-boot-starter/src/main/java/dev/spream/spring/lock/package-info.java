/**
 * Scheduled methods that one of many processes runs: {@link dev.spream.spring.lock.RunOnce}. This package needs some {@code
 * HierarchicalLocks} bean, and does not depend on a database.
 */
@NullMarked
package dev.spream.spring.lock;

import org.jspecify.annotations.NullMarked;
