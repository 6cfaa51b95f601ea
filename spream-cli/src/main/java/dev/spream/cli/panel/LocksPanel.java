package dev.spream.cli.panel;

import dev.spream.cli.http.Panel;
import dev.spream.cli.output.Members;
import dev.spream.lock.inspection.LockExplanation;
import dev.spream.lock.inspection.LockObserver;

/** The locks: holders and waiters by target, and whether each wait is necessary. It has no commands. */
public final class LocksPanel implements Panel {
    private static final int SHOWN = 50;
    private static final int HOT = 5;

    private final Opening<LockObserver> locks;

    public LocksPanel(Opening<LockObserver> locks) {
        this.locks = locks;
    }

    @Override
    public String name() {
        return "locks";
    }

    @Override
    public Members read() throws Exception {
        LockExplanation seen = LockExplanation.of(locks.get().observe());
        return LocksJson.members(seen, false, HOT, SHOWN)
                .put("session_count", seen.owners().size())
                .put("wait_count", seen.waits().size());
    }
}
