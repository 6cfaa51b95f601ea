package dev.spream.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.benchmarks.harness.Figures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BenchmarkPageTest {
    @TempDir
    private Path folder;

    @AfterEach
    void keepNoMore() {
        System.clearProperty("figures");
    }

    private void keptFor(String benchmark) throws IOException {
        Path file = Files.writeString(folder.resolve(benchmark + ".tsv"), "2026-03-01, 2 processors\n");
        System.setProperty("figures", file.toString());
    }

    @Test
    void a_bar_is_the_median_and_its_line_is_the_range() throws Exception {
        keptFor("mirror");
        Map<String, List<Double>> rates = new LinkedHashMap<>();
        rates.put("plain <JDBC>", List.of(1_000.0, 3_000.0, 2_000.0));
        rates.put("spream", List.of(1_500.0));
        new Figures("a mirror", "rows/s", "0.7 of plain", rates).keep();

        assertThat(Files.readString(BenchmarkPage.write(folder)))
                .contains(
                        "<h2>mirror</h2>", "2026-03-01, 2 processors", "a mirror", "more is better; goal: 0.7 of plain")
                .contains("plain &lt;JDBC>", "2,000 (1,000 to 3,000)", "1,500<")
                .contains("class=\"other\" x=\"290\" y=\"9\" width=\"220.0\"", "M400.0 18H620.0")
                .contains("class=\"ours\" x=\"290\" y=\"39\" width=\"165.0\"");
    }

    @Test
    void times_become_percentiles_of_thirds() throws Exception {
        keptFor("outbox");
        List<Long> nanos = LongStream.range(0, 300)
                .mapToObj(i -> 1_000_000 * (i / 100 + 1))
                .toList();
        Figures.keepTimes("waits", "", Map.of("spream", nanos));

        assertThat(Figures.of(folder.resolve("outbox.tsv")))
                .extracting(Figures::title, Figures::alternatives)
                .allSatisfy(chart -> assertThat(chart.toList().get(1))
                        .isEqualTo(Collections.singletonMap("spream", List.of(1.0, 2.0, 3.0))))
                .hasSize(2);
    }
}
