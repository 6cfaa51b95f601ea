package dev.spream.cli.http;

import dev.spream.core.subscription.SubscriptionListener.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The counts of the last two minutes by second, and rates derived from them. Safe for use by many threads. */
final class RecentSeconds {
    private static final int KEPT = 121;

    private final Deque<Sample> samples = new ArrayDeque<>(); // the newest last, guarded by this

    /**
     * The counts at a time.
     *
     * @param counts since the process started
     * @param lag the lag of the subscription; empty if unknown
     */
    record Sample(Instant at, Map<String, Long> counts, Optional<Duration> lag) {
        long count(String name) {
            return counts.getOrDefault(name, 0L);
        }

        long settled() {
            long settled = 0;
            for (Outcome outcome : Outcome.values()) {
                settled += count(EventCounts.name(outcome));
            }
            return settled;
        }
    }

    /**
     * One second.
     *
     * @param at the end of the second
     * @param settled the number of changes settled in it, with any outcome
     */
    record Second(Instant at, long settled, Optional<Duration> lag) {}

    synchronized void add(Sample sample) {
        samples.addLast(sample);
        if (samples.size() > KEPT) {
            samples.removeFirst();
        }
    }

    /** Returns the seconds of the last two minutes, the oldest first. */
    synchronized List<Second> history() {
        List<Second> seconds = new ArrayList<>();
        Sample before = null;
        for (Sample sample : samples) {
            if (before != null) {
                seconds.add(new Second(sample.at(), sample.settled() - before.settled(), sample.lag()));
            }
            before = sample;
        }
        return seconds;
    }

    /** Returns the average rate of a count per second over the given time; zero while unknown. */
    synchronized double rate(String name, int seconds) {
        if (samples.size() < 2) {
            return 0;
        }
        Sample newest = samples.getLast();
        Sample oldest = newest;
        Iterator<Sample> backwards = samples.descendingIterator();
        for (int i = 0; i <= seconds && backwards.hasNext(); i++) {
            oldest = backwards.next();
        }
        double elapsed = Duration.between(oldest.at(), newest.at()).toNanos() / 1e9;
        return elapsed <= 0 ? 0 : (newest.count(name) - oldest.count(name)) / elapsed;
    }
}
