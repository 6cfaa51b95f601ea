/**
 * The contract that every {@link dev.spream.core.lock.LockStore} keeps, and the tests of the engine over it. Authors of a
 * store extend {@link dev.spream.core.lock.LockStoreContract}, and {@link dev.spream.core.lock.FairLockStoreContract} and
 * {@link dev.spream.core.lock.BucketRowsContract} where they apply, and provide a {@link
 * dev.spream.core.lock.LockStoreFixture}. The contract has tests of its own: it must fail for stores that do not keep it.
 */
@NullMarked
package dev.spream.core.lock;

import org.jspecify.annotations.NullMarked;
