package dev.spream.storage.jdbc.ledger;

import java.time.Instant;

/**
 * Converts times of the ledger: nanoseconds since 1970 in 64 bits, which end in the year 2262. No change is committed
 * later; a later low watermark is mapped to the last of them.
 */
final class LedgerTime {
    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private LedgerTime() {}

    static long nanos(Instant time) {
        try {
            return Math.addExact(Math.multiplyExact(time.getEpochSecond(), NANOS_PER_SECOND), time.getNano());
        } catch (ArithmeticException e) {
            return time.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    static Instant instant(long nanos) {
        return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS_PER_SECOND), Math.floorMod(nanos, NANOS_PER_SECOND));
    }
}
