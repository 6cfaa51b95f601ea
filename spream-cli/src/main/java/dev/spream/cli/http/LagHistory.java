package dev.spream.cli.http;

import dev.spream.cli.output.Members;
import dev.spream.core.partition.PartitionToken;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The lag of each partition over the last 15 minutes, in steps of 5 seconds; a step has the highest lag in it, and one
 * without a sample is left out. Keeps at
 * most {@value #MAX_PARTITIONS} partitions, which take about 10 MB; of more, those that appear last are only counted.
 * Safe for use by many threads.
 */
final class LagHistory {
    static final Duration STEP = Duration.ofSeconds(5);
    static final int STEPS = 180;
    static final int MAX_PARTITIONS = 10_000;
    static final int SHOWN = 8;

    private static final double MILLIS = 1_000;
    private static final int DECIMALS = 3;
    private static final long NEVER = Long.MIN_VALUE;

    // Guarded by this.
    private final Map<PartitionToken, Series> partitions = new HashMap<>();
    private final BitSet sampled = new BitSet(STEPS); // by the same index
    private final Set<PartitionToken> notKept = new HashSet<>(); // in the current step
    private Set<PartitionToken> live = Set.of(); // those of the last sample
    private long first = NEVER;
    private long current = NEVER;
    private long before = NEVER; // the step sampled before the current one

    /** The lags of a partition; the index is the number of the step modulo {@link #STEPS}. */
    private static final class Series {
        private final float[] lags = new float[STEPS];
        private long last;

        Series(long step) {
            Arrays.fill(lags, Float.NaN);
            last = step;
        }

        void add(long step, float lag) {
            for (long skipped = Math.max(last + 1, step - STEPS + 1); skipped <= step; skipped++) {
                lags[index(skipped)] = Float.NaN;
            }
            last = step;
            float known = lags[index(step)];
            lags[index(step)] = Float.isNaN(known) ? lag : Math.max(known, lag);
        }

        float at(long step) {
            return step > last || step <= last - STEPS ? Float.NaN : lags[index(step)];
        }

        private static int index(long step) {
            return Math.floorMod(step, STEPS);
        }
    }

    /** Adds the current lags of the unfinished partitions. */
    synchronized void add(Instant now, Map<PartitionToken, Duration> lags) {
        long step = Math.floorDiv(now.getEpochSecond(), STEP.toSeconds());
        if (step < current) {
            return; // the clock was set back: wait until the time is reached again
        }
        if (step > current) {
            for (long passed = Math.max(current + 1, step - STEPS + 1); current != NEVER && passed < step; passed++) {
                sampled.clear(Series.index(passed));
            }
            before = current;
            current = step;
            first = first == NEVER ? step : first;
            sampled.set(Series.index(step));
            notKept.clear();
            partitions.values().removeIf(series -> series.last <= step - STEPS);
        }
        live = Set.copyOf(lags.keySet());
        lags.forEach((token, lag) -> {
            Series series = partitions.get(token);
            if (series == null && makesRoom()) {
                series = new Series(step);
                partitions.put(token, series);
            }
            if (series == null) {
                notKept.add(token);
            } else {
                series.add(step, (float) (lag.toMillis() / MILLIS));
            }
        });
    }

    /** Returns whether another partition can be kept, if need be in place of those that have ended. */
    private boolean makesRoom() {
        if (partitions.size() >= MAX_PARTITIONS && notKept.isEmpty()) {
            partitions.values().removeIf(series -> series.last < before);
        }
        return partitions.size() < MAX_PARTITIONS;
    }

    /** Returns the history: the slowest partitions one by one, and the range of the others. */
    synchronized Members members() {
        Members members = new Members().put("step_seconds", STEP.toSeconds());
        if (current == NEVER) {
            return members.put("times", List.of()).put("partitions", List.of()).put("others", 0);
        }
        List<Long> steps = LongStream.rangeClosed(Math.max(first, current - STEPS + 1), current)
                .filter(step -> sampled.get(Series.index(step)))
                .boxed()
                .toList();
        List<Map.Entry<PartitionToken, Series>> slowest = slowest();
        Set<PartitionToken> shown = new HashSet<>();
        slowest.forEach(entry -> shown.add(entry.getKey()));
        members.list("times", steps, step -> Instant.ofEpochSecond(step * STEP.toSeconds()))
                .list(
                        "partitions",
                        slowest,
                        entry ->
                                new Members().put("token", entry.getKey()).put("lag", values(entry.getValue(), steps)));
        putOthers(members, steps, shown);
        return members.put("not_kept", notKept.size());
    }

    /** Returns the partitions that are read now, the slowest first. */
    private List<Map.Entry<PartitionToken, Series>> slowest() {
        return partitions.entrySet().stream()
                .filter(entry -> live.contains(entry.getKey()))
                .sorted(Comparator.<Map.Entry<PartitionToken, Series>, Float>comparing(
                                entry -> entry.getValue().at(entry.getValue().last))
                        .reversed()
                        .thenComparing(Map.Entry::getKey))
                .limit(SHOWN)
                .toList();
    }

    private static List<@Nullable BigDecimal> values(Series series, List<Long> steps) {
        List<@Nullable BigDecimal> values = new ArrayList<>();
        for (long step : steps) {
            values.add(decimal(series.at(step)));
        }
        return values;
    }

    private void putOthers(Members members, List<Long> steps, Set<PartitionToken> shown) {
        float[] most = new float[steps.size()];
        float[] least = new float[steps.size()];
        Arrays.fill(most, Float.NaN);
        Arrays.fill(least, Float.NaN);
        int others = 0;
        for (Map.Entry<PartitionToken, Series> entry : partitions.entrySet()) {
            if (shown.contains(entry.getKey())) {
                continue;
            }
            others++;
            for (int i = 0; i < most.length; i++) {
                float lag = entry.getValue().at(steps.get(i));
                if (!Float.isNaN(lag)) {
                    most[i] = Float.isNaN(most[i]) ? lag : Math.max(most[i], lag);
                    least[i] = Float.isNaN(least[i]) ? lag : Math.min(least[i], lag);
                }
            }
        }
        members.put("others", others).put("others_most", decimals(most)).put("others_least", decimals(least));
    }

    private static List<@Nullable BigDecimal> decimals(float[] values) {
        List<@Nullable BigDecimal> decimals = new ArrayList<>(values.length);
        for (float value : values) {
            decimals.add(decimal(value));
        }
        return decimals;
    }

    private static @Nullable BigDecimal decimal(float value) {
        return Float.isNaN(value) ? null : BigDecimal.valueOf(Math.round(value * MILLIS), DECIMALS);
    }
}
