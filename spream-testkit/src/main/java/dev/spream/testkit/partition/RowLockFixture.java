package dev.spream.testkit.partition;

import dev.spream.core.partition.PartitionToken;

/** A fixture of a storage whose rows another session can lock. */
public interface RowLockFixture extends PartitionStorageFixture {

    /** Locks the row of a partition as another session does, until closed. */
    RowLock lockRow(PartitionToken token) throws Exception;

    /** A locked row. */
    interface RowLock extends AutoCloseable {

        /** Returns how many requests have waited for the row; 0 where the storage skips locked rows without waiting. */
        default int waits() {
            return 0;
        }

        /** Unlocks the row. */
        @Override
        void close();
    }
}
