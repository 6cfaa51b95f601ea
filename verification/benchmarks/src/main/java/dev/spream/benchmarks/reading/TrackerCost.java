package dev.spream.benchmarks.reading;

import dev.spream.core.subscription.InflightTrackerBenchmark;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Opening and settling a record in the in-flight tracker: time and allocation. Goal: below 100 ns, no growth. */
public final class TrackerCost {
    private TrackerCost() {}

    public static void main(String[] args) throws RunnerException {
        new Runner(new OptionsBuilder()
                        .include(InflightTrackerBenchmark.class.getSimpleName())
                        .addProfiler(GCProfiler.class)
                        .shouldFailOnError(true)
                        .build())
                .run();
    }
}
