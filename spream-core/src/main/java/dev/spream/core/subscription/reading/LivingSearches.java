package dev.spream.core.subscription.reading;

import dev.spream.core.internal.MonotonicTime;
import dev.spream.core.internal.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The searches of a process for the partitions that live at the end of a gap. Many partitions may have a gap that ends at
 * one time: one of them asks, and stores the answer for all. Safe for use by many threads.
 */
public final class LivingSearches {
    private final MonotonicTime time;

    // Guarded by this.
    private final Set<Instant> stored = new HashSet<>();
    private final Map<Instant, List<Waiter>> searching = new HashMap<>(); // those that wait for the end of each search

    public LivingSearches(MonotonicTime time) {
        this.time = time;
    }

    /**
     * Waits while another partition searches at that time. Returns true if the answer is stored, or the partition is not to
     * be read any more; otherwise the caller searches, and calls {@link #end}.
     */
    public boolean isNeedless(Instant at, Duration checkInterval, BooleanSupplier isReading)
            throws InterruptedException {
        Waiter ended = new Waiter(time);
        while (isReading.getAsBoolean()) {
            synchronized (this) {
                if (stored.contains(at)) {
                    return true;
                }
                List<Waiter> waiting = searching.get(at);
                if (waiting == null) {
                    searching.put(at, new ArrayList<>());
                    return false;
                }
                waiting.add(ended);
            }
            ended.await(checkInterval);
        }
        return true;
    }

    /** Notes that the search of the caller ended. */
    public void end(Instant at, boolean isStored) {
        List<Waiter> waiting;
        synchronized (this) {
            if (isStored) {
                stored.add(at);
            }
            waiting = searching.remove(at);
        }
        if (waiting != null) {
            waiting.forEach(Waiter::signal);
        }
    }
}
