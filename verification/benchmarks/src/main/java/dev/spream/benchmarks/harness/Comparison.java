package dev.spream.benchmarks.harness;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Alternatives for the same work, measured in turns: one repetition of each, then the next one of each. Other load of
 * the machine thus affects them all, and their ratio within a turn is more reliable than their rates. Confined to one
 * thread.
 */
public final class Comparison {
    private static final OperatingSystemMXBean PROCESS =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private final String title;
    private final long rows;
    private final List<Way> ways = new ArrayList<>();
    private String goal = "";

    /** @param rows the number of rows that each repetition has to process */
    public Comparison(String title, long rows) {
        this.title = title;
        this.rows = rows;
    }

    /** Sets the goal that the chart names. */
    public Comparison goal(String text) {
        this.goal = text;
        return this;
    }

    /** Adds an alternative. The others are compared with the first one. */
    public Comparison add(String name, Callable<Long> repetition) {
        ways.add(new Way(name, repetition, new ArrayList<>()));
        return this;
    }

    /** Runs the turns, of which the first ones only warm up, and prints a table. */
    public void run(int warmUps, int turns) throws Exception {
        for (int turn = -warmUps; turn < turns; turn++) {
            for (Way way : ways) {
                Repetition repetition = way.measure(rows);
                if (turn >= 0) {
                    way.repetitions.add(repetition);
                }
            }
        }
        print();
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        ways.forEach(way -> rates.put(way.name, way.rates()));
        new Figures(title, "rows/s", goal, rates).keep();
    }

    private void print() {
        System.out.printf(
                "%n%s: %,d rows, %d turns%n",
                title, rows, ways.getFirst().repetitions.size());
        System.out.printf("%-44s %12s %14s", "", "rows/s", "CPU us/row");
        for (Way base : bases()) {
            System.out.printf(" %28s", "x " + base.name);
        }
        System.out.println();
        for (Way way : ways) {
            System.out.printf(
                    "%-44s %,12.0f %14.2f",
                    way.name,
                    Measurements.median(way.rates()),
                    Measurements.median(way.repetitions.stream()
                            .map(Repetition::cpuMicrosPerRow)
                            .toList()));
            for (Way base : bases()) {
                System.out.printf(" %28s", Measurements.ratios(way.rates(), base.rates()));
            }
            System.out.println();
        }
    }

    private List<Way> bases() {
        return ways.subList(0, Math.min(2, ways.size() - 1));
    }

    private record Repetition(double rowsPerSecond, double cpuMicrosPerRow) {}

    private record Way(String name, Callable<Long> work, List<Repetition> repetitions) {
        Repetition measure(long expected) throws Exception {
            long startedAt = System.nanoTime();
            long cpuBefore = PROCESS.getProcessCpuTime();
            long processed = work.call();
            double seconds = (System.nanoTime() - startedAt) / 1e9;
            double cpuMicros = (PROCESS.getProcessCpuTime() - cpuBefore) / 1e3;
            if (processed != expected) {
                throw new IllegalStateException(
                        "%s: %d rows were expected, %d came".formatted(name, expected, processed));
            }
            return new Repetition(expected / seconds, cpuMicros / expected);
        }

        List<Double> rates() {
            return repetitions.stream().map(Repetition::rowsPerSecond).toList();
        }
    }
}
