package dev.spream.cli.http;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names in an expression of PromQL: enough of its grammar to tell series and labels from functions, keywords and
 * numbers.
 *
 * @see <a href="https://prometheus.io/docs/prometheus/latest/querying/basics/">Prometheus: querying basics</a>
 */
record PromQl(Set<String> series, Set<String> labels) {
    private static final Set<String> KEYWORDS = Set.of(
            "and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring", "group_left", "group_right");
    private static final Pattern TEXT = Pattern.compile("\"[^\"]*\"");
    private static final Pattern RANGE = Pattern.compile("\\[[^\\]]*]");
    private static final Pattern MATCHERS = Pattern.compile("\\{([^}]*)}");
    private static final Pattern MATCHER = Pattern.compile("\\s*(\\w+)\\s*(?:=~|!~|!=|=)\\s*");
    private static final Pattern GROUPING =
            Pattern.compile("\\b(?:by|without|on|ignoring|group_left|group_right)\\s*\\(([^)]*)\\)");
    private static final Pattern NAME = Pattern.compile("(?<![\\w:.])([A-Za-z_:][\\w:]*)(\\s*\\()?");

    static PromQl parse(String expression) {
        Set<String> labels = new TreeSet<>();
        String rest = RANGE.matcher(TEXT.matcher(expression).replaceAll("")).replaceAll("");
        Matcher matchers = MATCHERS.matcher(rest);
        while (matchers.find()) {
            for (String matcher : matchers.group(1).split(",", 0)) {
                Matcher named = MATCHER.matcher(matcher);
                if (!named.matches()) {
                    throw new IllegalArgumentException("'%s' is no matcher, in %s".formatted(matcher, expression));
                }
                labels.add(named.group(1));
            }
        }
        rest = MATCHERS.matcher(rest).replaceAll("");
        Matcher groupings = GROUPING.matcher(rest);
        while (groupings.find()) {
            Arrays.stream(groupings.group(1).split(",", 0))
                    .map(String::strip)
                    .filter(label -> !label.isEmpty())
                    .forEach(labels::add);
        }
        return new PromQl(series(GROUPING.matcher(rest).replaceAll(" ")), labels);
    }

    private static Set<String> series(String expression) {
        Set<String> series = new TreeSet<>();
        Matcher names = NAME.matcher(expression);
        while (names.find()) {
            boolean function = names.group(2) != null;
            if (!function && !KEYWORDS.contains(names.group(1))) {
                series.add(names.group(1));
            }
        }
        return series;
    }
}
