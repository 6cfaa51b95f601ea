package dev.spream.benchmarks;

import dev.spream.benchmarks.harness.Figures;
import dev.spream.benchmarks.harness.Measurements;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A page of charts of the figures that the benchmarks have kept, in one file that needs no other: a bar for the median of
 * each alternative, with a line from the lowest figure to the highest.
 */
final class BenchmarkPage {
    private static final int BAR_X = 290;
    private static final int BAR_WIDTH = 330;
    private static final int ROW = 30;
    private static final int TOP = 6;

    private BenchmarkPage() {}

    /** Writes the page from the files of the folder, into it. */
    static Path write(Path folder) throws IOException {
        StringBuilder sections = new StringBuilder();
        for (Benchmark benchmark : Benchmark.values()) {
            Path file = folder.resolve(benchmark.label() + ".tsv");
            if (Files.exists(file)) {
                sections.append(
                        section(benchmark.label(), Files.readAllLines(file).getFirst(), Figures.of(file)));
            }
        }
        return Files.writeString(folder.resolve("benchmarks.html"), PAGE.replace("@sections@", sections));
    }

    private static String section(String benchmark, String circumstances, List<Figures> charts) {
        return charts.isEmpty()
                ? ""
                : "<section>\n<h2>%s</h2>\n<p>%s</p>\n%s</section>\n"
                        .formatted(
                                benchmark,
                                escaped(circumstances),
                                charts.stream().map(BenchmarkPage::chart).collect(Collectors.joining()));
    }

    private static String chart(Figures figures) {
        double longest = figures.alternatives().values().stream()
                .mapToDouble(Collections::max)
                .max()
                .orElseThrow();
        StringBuilder rows = new StringBuilder();
        int y = TOP;
        for (var alternative : figures.alternatives().entrySet()) {
            rows.append(row(alternative.getKey(), alternative.getValue(), BAR_WIDTH / longest, y));
            y += ROW;
        }
        String goal = figures.goal().isEmpty() ? "" : "; goal: " + figures.goal();
        return """
                <figure>
                <figcaption><strong>%1$s</strong>: %2$s%3$s</figcaption>
                <svg viewBox="0 0 840 %4$d" role="img" aria-label="%1$s">
                %5$s</svg>
                </figure>
                """.formatted(
                        escaped(figures.title()),
                        figures.unit().equals("ms") ? "ms, less is better" : figures.unit() + ", more is better",
                        escaped(goal),
                        y,
                        rows);
    }

    private static String row(String name, List<Double> figures, double scale, int y) {
        double median = Measurements.median(figures);
        double low = Collections.min(figures);
        double high = Collections.max(figures);
        String value = number(median) + (low == high ? "" : " (%s to %s)".formatted(number(low), number(high)));
        return String.format(
                Locale.ROOT,
                """
                <text x="%1$d" y="%2$d" text-anchor="end">%3$s</text>
                <rect class="%4$s" x="%5$d" y="%6$d" width="%7$.1f" height="18"/>
                <path d="M%8$.1f %9$dH%10$.1f"/>
                <text x="%11$.1f" y="%2$d">%12$s</text>
                """,
                BAR_X - 10,
                y + 17,
                escaped(name),
                name.startsWith("spream") ? "ours" : "other",
                BAR_X,
                y + 3,
                Math.max(1, median * scale),
                BAR_X + low * scale,
                y + 12,
                BAR_X + high * scale,
                BAR_X + high * scale + 8,
                value);
    }

    /** Returns a number with three digits that count, or all of its integer part. */
    private static String number(double number) {
        int decimals = number >= 100 || number == 0 ? 0 : number >= 10 ? 1 : 2;
        return String.format(Locale.ROOT, "%,." + decimals + "f", number);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
    }

    private static final String PAGE = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <meta name="color-scheme" content="light dark">
            <title>Benchmarks of spream</title>
            <style>
            :root { --text: #1f2328; --back: #fff; --ours: #1a7f5a; --other: #b6bec8; --quiet: #59636e }
            @media (prefers-color-scheme: dark) {
              :root { --text: #e6e8eb; --back: #14171a; --ours: #3fb98a; --other: #58626d; --quiet: #9aa4af }
            }
            body { max-width: 54rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif;
              color: var(--text); background: var(--back) }
            section > p { color: var(--quiet); margin-top: -0.5rem }
            figure { margin: 1.5rem 0 }
            svg { width: 100%; font-size: 14px; fill: var(--text) }
            .ours { fill: var(--ours) }
            .other { fill: var(--other) }
            path { stroke: var(--text); stroke-width: 1.5 }
            </style>
            </head>
            <body>
            <h1>Benchmarks of spream</h1>
            <p>The alternatives of a chart did the same work on the same machine, in turns. A bar is the median of an alternative's
            turns, or of thirds of the time for times in milliseconds, and its line reaches from the lowest to the highest. Rates
            depend on the machine, ratios much less.</p>
            @sections@</body>
            </html>
            """;
}
