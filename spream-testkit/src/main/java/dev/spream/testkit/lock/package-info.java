/**
 * The contract that every {@link dev.spream.lock.LockStore} keeps. Extend {@link
 * dev.spream.testkit.lock.LockStoreContract}, and {@link dev.spream.testkit.lock.FairLockStoreContract} and {@link
 * dev.spream.testkit.lock.BucketRowsContract} where they apply, and provide a {@link
 * dev.spream.testkit.lock.LockStoreFixture}.
 */
@NullMarked
package dev.spream.testkit.lock;

import org.jspecify.annotations.NullMarked;
