package dev.spream.lock;

import java.time.InstantSource;

/** Deadlines for those who call a store by hand. */
final class LockDeadlines {
    static final LockDeadline FOREVER = LockDeadline.start(LockWait.FOREVER, InstantSource.system());

    private LockDeadlines() {}
}
