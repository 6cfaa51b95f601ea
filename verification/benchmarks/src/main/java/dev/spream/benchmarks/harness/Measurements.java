package dev.spream.benchmarks.harness;

import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/** Statistics of repeated measurements. */
public final class Measurements {
    private Measurements() {}

    public static double median(Collection<Double> figures) {
        double[] sorted =
                figures.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    /** Returns the median of the ratios within a turn, and their range. */
    public static String ratios(List<Double> figures, List<Double> base) {
        double[] ratios = IntStream.range(0, figures.size())
                .mapToDouble(turn -> figures.get(turn) / base.get(turn))
                .sorted()
                .toArray();
        return "%.2f (%.2f to %.2f)".formatted(ratios[ratios.length / 2], ratios[0], ratios[ratios.length - 1]);
    }

    /** Returns statistics of durations, in milliseconds with the given number of decimals. */
    public static String times(Collection<Long> nanos, int decimals) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        String milliseconds = "%." + decimals + "f ms";
        return ("p50 " + milliseconds + ", p99 " + milliseconds + ", longest " + milliseconds)
                .formatted(
                        sorted[sorted.length / 2] / 1e6,
                        sorted[(int) (sorted.length * 99L / 100)] / 1e6,
                        sorted[sorted.length - 1] / 1e6);
    }

    /** Returns a percentile of durations, in milliseconds. */
    public static double millis(Collection<Long> nanos, int percentile) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
        return sorted[(int) (sorted.length * (long) percentile / 100)] / 1e6;
    }

    /** Returns the heap in use after explicit collections, in mebibytes. */
    @SuppressWarnings("ExplicitGc")
    public static double heapAfterCollection() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / (double) (1 << 20);
    }

    public static void printTimes(String what, Collection<Long> nanos) {
        System.out.printf("%-46s %,6d times: %s%n", what, nanos.size(), times(nanos, 1));
    }
}
