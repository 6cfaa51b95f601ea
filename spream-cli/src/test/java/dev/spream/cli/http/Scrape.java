package dev.spream.cli.http;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A response in the text format of Prometheus: the labels of each series, by the name of the series.
 *
 * @see <a href="https://prometheus.io/docs/instrumenting/exposition_formats/">Prometheus: exposition formats</a>
 */
record Scrape(Map<String, Set<String>> labels) {
    /** The labels that Prometheus adds itself. */
    private static final Set<String> OF_PROMETHEUS = Set.of("job", "instance");

    private static final Set<String> SERIES_OF_PROMETHEUS = Set.of("up");
    private static final Pattern LINE = Pattern.compile("([A-Za-z_:][\\w:]*)(?:\\{(.*)})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"(?:[^\"\\\\]|\\\\.)*\"");

    static Scrape parse(String text) {
        Map<String, Set<String>> labels = new TreeMap<>();
        for (String line : text.lines().filter(line -> !line.startsWith("#")).toList()) {
            Matcher matcher = LINE.matcher(line);
            if (!matcher.matches()) {
                throw new IllegalArgumentException("no series: " + line);
            }
            Set<String> ofSeries = labels.computeIfAbsent(matcher.group(1), name -> new TreeSet<>());
            Matcher label = LABEL.matcher(matcher.group(2) == null ? "" : matcher.group(2));
            while (label.find()) {
                ofSeries.add(label.group(1));
            }
        }
        return new Scrape(labels);
    }

    /** Returns the series and labels of an expression that are missing. */
    List<String> missing(String expression) {
        PromQl names = PromQl.parse(expression);
        List<String> missing = new ArrayList<>();
        Set<String> known = new TreeSet<>(OF_PROMETHEUS);
        for (String series : names.series()) {
            if (labels.containsKey(series)) {
                known.addAll(labels.get(series));
            } else if (!SERIES_OF_PROMETHEUS.contains(series)) {
                missing.add("series " + series);
            }
        }
        names.labels().stream().filter(label -> !known.contains(label)).forEach(label -> missing.add("label " + label));
        return missing;
    }
}
