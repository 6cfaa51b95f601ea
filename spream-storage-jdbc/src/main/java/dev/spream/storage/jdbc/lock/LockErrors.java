package dev.spream.storage.jdbc.lock;

import dev.spream.lock.LockException;
import java.sql.SQLException;

/** What the errors of one kind of database mean for locks, by their codes: drivers disagree on classes. */
interface LockErrors {

    /**
     * The exception to throw.
     *
     * @param failed what failed, such as "waiting for lock 0:17 shared, the 2nd of 3"
     */
    LockException exception(String failed, SQLException cause);
}
