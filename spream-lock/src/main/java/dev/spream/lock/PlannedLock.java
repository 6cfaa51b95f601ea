package dev.spream.lock;

/** One lock to take: a key, and the strongest mode that any target needs it in. */
public record PlannedLock(LockKey key, LockMode mode) {
    @Override
    public String toString() {
        return key + (mode == LockMode.SHARED ? " shared" : " exclusive");
    }
}
