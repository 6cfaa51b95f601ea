package dev.spream.benchmarks.formats;

import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Writing a row in each format, with its key, as a share of the documentation's record: time and allocation. */
public final class FormatCost {
    private FormatCost() {}

    public static void main(String[] args) throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(FormatBenchmark.class.getSimpleName())
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .build())
                .run();
    }
}
