package dev.spream.testkit.lock;

import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockWait;
import java.time.InstantSource;

/** Deadlines for direct calls of a store. */
public final class LockDeadlines {
    public static final LockDeadline FOREVER = LockDeadline.start(LockWait.FOREVER, InstantSource.system());

    private LockDeadlines() {}
}
