package dev.spream.storage.jdbc.lock;

import dev.spream.lock.LockLayout;

/**
 * What the database records.
 *
 * @param provisioned how many buckets have been made, from the first on
 */
record RecordedSpace(LockLayout layout, long provisioned) {
    /** Whether every bucket was made. Whether it still is there, only counting tells. */
    boolean isComplete() {
        return provisioned >= LockLayouts.rows(layout);
    }
}
