package dev.spream.api;

import static java.util.Objects.requireNonNull;

import dev.spream.projection.FailureKind;
import dev.spream.projection.ProjectionListener;
import dev.spream.projection.ProjectionVersion;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The recent failure rate of projections: failures as a share of processed events over the last minute, for the live
 * versions of all projections of the process together. Safe for use by many threads.
 */
public final class ProjectionErrorRate implements ProjectionListener {
    private static final int SECONDS = 60;

    private final InstantSource clock;
    private final Set<String> others = ConcurrentHashMap.newKeySet(); // by state name

    // Guarded by this; by second, modulo 60. No blocking call is made under the lock.
    private final long[] of = new long[SECONDS];
    private final long[] events = new long[SECONDS];
    private final long[] failures = new long[SECONDS];

    public ProjectionErrorRate(InstantSource clock) {
        this.clock = requireNonNull(clock, "clock");
        Arrays.fill(of, Long.MIN_VALUE);
    }

    @Override
    public void versionsChanged(String projection, List<ProjectionVersion> versions) {
        for (ProjectionVersion version : versions) {
            if (version.isLive()) {
                others.remove(version.stateName());
            } else {
                others.add(version.stateName());
            }
        }
    }

    @Override
    public void batchApplied(String projection, int applied, int duplicates, int parked, Duration took) {
        if (!others.contains(projection)) {
            count(applied + (long) duplicates, 0);
        }
    }

    @Override
    public void failed(String projection, FailureKind kind, Exception failure) {
        if (!others.contains(projection)) {
            count(0, 1);
        }
    }

    private synchronized void count(long dealtWith, long failed) {
        long now = clock.instant().getEpochSecond();
        int slot = Math.floorMod(now, SECONDS);
        if (of[slot] != now) {
            of[slot] = now;
            events[slot] = 0;
            failures[slot] = 0;
        }
        events[slot] += dealtWith;
        failures[slot] += failed;
    }

    /** Returns the rate, 0 to 1; 0 without attempts. */
    public synchronized double current() {
        long now = clock.instant().getEpochSecond();
        long all = 0;
        long failed = 0;
        for (int slot = 0; slot < SECONDS; slot++) {
            if (of[slot] > now - SECONDS && of[slot] <= now) {
                all += events[slot] + failures[slot];
                failed += failures[slot];
            }
        }
        return all == 0 ? 0 : failed / (double) all;
    }
}
