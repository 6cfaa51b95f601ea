package dev.spream.benchmarks.harness;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The measured figures of alternatives for the same work, as a chart shows them: one figure for each turn. They are kept in
 * a file of tab-separated values, which system property {@code figures} names: a line each with title, unit, goal,
 * alternative and its figures. The first line is about the machine.
 */
public record Figures(String title, String unit, String goal, Map<String, List<Double>> alternatives) {
    /**
     * Keeps the 50th and the 99th percentile, in milliseconds, of the first, the second and the last third of measured
     * times.
     *
     * @param nanos the times by alternative, in the order in which they were measured
     */
    public static void keepTimes(String title, String goal, Map<String, List<Long>> nanos) throws IOException {
        for (int percentile : new int[] {50, 99}) {
            Map<String, List<Double>> alternatives = new LinkedHashMap<>();
            nanos.forEach((alternative, times) -> alternatives.put(
                    alternative,
                    IntStream.range(0, 3)
                            .mapToObj(i -> times.subList(times.size() * i / 3, times.size() * (i + 1) / 3))
                            .map(third -> Measurements.millis(third, percentile))
                            .toList()));
            new Figures("%s, p%d".formatted(title, percentile), "ms", goal, alternatives).keep();
        }
    }

    /** Appends these figures to the file, if the property names one. */
    public void keep() throws IOException {
        String file = System.getProperty("figures");
        if (file == null) {
            return;
        }
        List<String> lines = alternatives.entrySet().stream()
                .map(each -> String.join(
                        "\t",
                        Stream.concat(
                                        Stream.of(title, unit, goal, each.getKey()),
                                        each.getValue().stream().map(String::valueOf))
                                .toList()))
                .toList();
        Files.write(Path.of(file), lines, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Returns what such a file holds after its first line. */
    public static List<Figures> of(Path file) throws IOException {
        List<Figures> all = new ArrayList<>();
        List<String> lines = Files.readAllLines(file);
        for (String line : lines.subList(1, lines.size())) {
            String[] values = line.split("\t", -1);
            if (all.isEmpty() || !all.getLast().title.equals(values[0])) {
                all.add(new Figures(values[0], values[1], values[2], new LinkedHashMap<>()));
            }
            List<Double> figures =
                    Stream.of(values).skip(4).map(Double::valueOf).toList();
            all.getLast().alternatives.put(values[3], figures);
        }
        return all;
    }
}
