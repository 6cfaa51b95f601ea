/**
 * The contract that every {@link dev.spream.lock.LockStore} keeps, and the tests of the engine over it. Authors of a
 * store extend {@link dev.spream.lock.LockStoreContract}, and {@link dev.spream.lock.FairLockStoreContract} and
 * {@link dev.spream.lock.BucketRowsContract} where they apply, and provide a {@link
 * dev.spream.lock.LockStoreFixture}. The contract has tests of its own: it must fail for stores that do not keep it.
 */
@NullMarked
package dev.spream.lock;

import org.jspecify.annotations.NullMarked;
