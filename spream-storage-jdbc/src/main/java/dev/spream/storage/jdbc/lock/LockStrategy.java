package dev.spream.storage.jdbc.lock;

import dev.spream.lock.BucketHash;
import dev.spream.lock.BucketSpace;
import dev.spream.lock.LockTarget;
import dev.spream.storage.jdbc.lock.dialect.LockSql;
import dev.spream.storage.jdbc.lock.dialect.LockTables;

/**
 * The representation of buckets in the database. Locks of one strategy do not exclude those of the other.
 */
public enum LockStrategy {
    /**
     * Advisory locks of PostgreSQL, which end with the transaction. They need no provisioning and write nothing,
     * waiters are served in the order of their arrival, and there are so many buckets that two targets practically
     * never share one.
     */
    ADVISORY,
    /** A row for each bucket, locked for share or for update. All rows must exist before the first lock is taken. */
    ROWS;

    private static final long DEFAULT_ROWS = 1L << 20;
    private static final int DEFAULT_LEVELS_OF_ROWS = 3;

    static LockStrategy byDefault(LockTables tables) {
        return tables.hasAdvisoryLocks() ? ADVISORY : ROWS;
    }

    LockSql in(LockTables tables) {
        return switch (this) {
            case ADVISORY -> tables.advisoryLocks();
            case ROWS -> tables.rowLocks();
        };
    }

    /** Returns the default bucket space. */
    public BucketSpace defaultSpace() {
        return switch (this) {
            case ADVISORY -> new BucketSpace(BucketHash.SHA256, BucketSpace.MAX_BUCKETS, LockTarget.MAX_LEVELS);
            case ROWS -> new BucketSpace(BucketHash.SHA256, DEFAULT_ROWS, DEFAULT_LEVELS_OF_ROWS);
        };
    }
}
