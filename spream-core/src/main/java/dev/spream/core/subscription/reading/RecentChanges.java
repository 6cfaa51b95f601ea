package dev.spream.core.subscription.reading;

import dev.spream.core.record.RecordIdentity;
import java.time.Instant;
import java.util.Arrays;

/**
 * The fingerprints of the latest changes read: a ring that grows to {@value #LIMIT}, 64 bits each. Confined to one
 * thread.
 */
final class RecentChanges {
    static final int LIMIT = 8_192;

    private static final int FIRST_SIZE = 16;
    private static final long MIX = 0x9E3779B97F4A7C15L; // SplitMix64

    private long[] fingerprints = new long[FIRST_SIZE];
    private int size;
    private int next;

    void add(RecordIdentity identity) {
        if (size == fingerprints.length && size < LIMIT) {
            fingerprints = Arrays.copyOf(fingerprints, 2 * size);
            next = size;
        }
        fingerprints[next] = fingerprint(identity);
        next = (next + 1) % fingerprints.length;
        size = Math.min(size + 1, fingerprints.length);
    }

    boolean contains(RecordIdentity identity) {
        long fingerprint = fingerprint(identity);
        for (int i = 0; i < size; i++) {
            if (fingerprints[i] == fingerprint) {
                return true;
            }
        }
        return false;
    }

    private static long fingerprint(RecordIdentity identity) {
        Instant at = identity.commitTimestamp();
        long time = mixed(at.getEpochSecond() * 1_000_000_000L + at.getNano());
        long text = ((long) identity.serverTransactionId().hashCode() << Integer.SIZE)
                ^ identity.recordSequence().hashCode();
        return mixed(time + text);
    }

    private static long mixed(long value) {
        long z = value * MIX;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
