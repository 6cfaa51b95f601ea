package dev.spream.core.partition;

/** A fixture of a storage whose rows another session can lock. */
public interface RowLockFixture extends PartitionStorageFixture {

    /** Locks the row of a partition as another session does, until closed. */
    RowLock lockRow(PartitionToken token) throws Exception;

    /** A locked row. */
    interface RowLock extends AutoCloseable {

        /** Unlocks it. */
        @Override
        void close();
    }
}
