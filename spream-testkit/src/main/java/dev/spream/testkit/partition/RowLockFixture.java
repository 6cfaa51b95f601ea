package dev.spream.testkit.partition;

import dev.spream.core.partition.PartitionToken;

/** A fixture of a storage whose rows another session can lock. */
public interface RowLockFixture extends PartitionStorageFixture {

    /** Locks the row of a partition as another session does, until closed. */
    RowLock lockRow(PartitionToken token) throws Exception;

    /** A locked row. */
    interface RowLock extends AutoCloseable {

        /** How many requests have waited for the row; 0 where the storage passes over it without waiting. */
        default int waits() {
            return 0;
        }

        /** Unlocks it. */
        @Override
        void close();
    }
}
