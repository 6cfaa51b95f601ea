package dev.spream.lock;

/** A lock to take: a key, and the strongest mode in which any target needs it. */
public record PlannedLock(LockKey key, LockMode mode) {
    @Override
    public String toString() {
        return key + (mode == LockMode.SHARED ? " shared" : " exclusive");
    }
}
