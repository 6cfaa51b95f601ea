package dev.spream.benchmarks.harness;

import java.util.List;

/** Prints how long something took, many times. */
public final class Percentiles {
    private Percentiles() {}

    public static void print(String what, List<Long> nanos) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        System.out.printf(
                "%-46s %,6d times: p50 %.1f ms, p99 %.1f ms, longest %.1f ms%n",
                what,
                sorted.length,
                sorted[sorted.length / 2] / 1e6,
                sorted[sorted.length * 99 / 100] / 1e6,
                sorted[sorted.length - 1] / 1e6);
    }
}
