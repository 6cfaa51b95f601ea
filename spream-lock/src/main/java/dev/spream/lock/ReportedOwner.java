package dev.spream.lock;

import java.time.Duration;
import java.util.Optional;

/** What reports show: an owner of locks, or a call that waits for some. Safe for use by many threads. */
interface ReportedOwner {
    /** Empty if it neither holds nor waits for that long. */
    Optional<LockReport.Owner> view(Duration atLeast);
}
