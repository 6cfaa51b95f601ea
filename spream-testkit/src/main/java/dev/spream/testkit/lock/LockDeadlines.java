package dev.spream.testkit.lock;

import dev.spream.lock.LockDeadline;
import dev.spream.lock.LockWait;
import java.time.InstantSource;

/** Deadlines for tests that call a {@link dev.spream.lock.LockStore} directly. */
public final class LockDeadlines {
    public static final LockDeadline FOREVER = LockDeadline.start(LockWait.FOREVER, InstantSource.system());

    private LockDeadlines() {}
}
