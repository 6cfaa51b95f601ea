package dev.spream.storage.spanner.outbox;

import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;

/** Creates the ids of new entries. */
@FunctionalInterface
interface EntryIds {
    /** The bits of an id below the time in milliseconds. */
    int RANDOM_BITS = 21;

    /** The ids of this process. */
    EntryIds OF_THIS_PROCESS = growing();

    /** Returns ids of which each is greater than those before it. */
    static EntryIds growing() {
        AtomicLong last = new AtomicLong();
        return (now, after) -> {
            long random = ThreadLocalRandom.current().nextLong(1L << RANDOM_BITS);
            return last.accumulateAndGet(
                    Math.max(floor(now) + random, after + 1), (before, proposed) -> Math.max(before + 1, proposed));
        };
    }

    /**
     * Returns an id that is greater than the given one.
     *
     * @param now Spanner's time, from which ids grow, so that they are in the order of enqueueing
     */
    long next(Instant now, long after);

    /** Returns the lowest id of that time. */
    static long floor(Instant now) {
        return now.toEpochMilli() << RANDOM_BITS;
    }
}
