package dev.spream.cli.http;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.metrics.LockMetrics;
import dev.spream.api.metrics.OutboxMetrics;
import dev.spream.api.metrics.SpreamMetrics;
import dev.spream.core.partition.InMemoryPartitionStorage;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/metrics.md} lists every meter as the code has it. With METERS_WRITE set, it is made to. */
final class MeterTableTest {
    private static final Path PAGE = Path.of("../docs/metrics.md");

    @Test
    void the_page_lists_every_meter() throws Exception {
        String page = Files.readString(PAGE);
        String current = with(page, "meters", ofSubscriptions());
        current = with(current, "lock meters", ofLocks());
        current = with(current, "outbox meters", ofOutboxes());
        current = with(current, "projection meters", ofProjections());
        if (System.getenv("METERS_WRITE") != null) {
            Files.writeString(PAGE, current);
        }
        assertThat(Files.readString(PAGE))
                .as("to write the meters: METERS_WRITE=true mvn -pl spream-cli -am -Dtest=MeterTableTest"
                        + " -Dsurefire.failIfNoSpecifiedTests=false test")
                .isEqualTo(current);
    }

    /** The page with that table between its marks. */
    private static String with(String page, String name, String table) {
        String begin = "<!-- %s: begin -->\n".formatted(name);
        return page.substring(0, page.indexOf(begin) + begin.length())
                + table
                + page.substring(page.indexOf("<!-- %s: end -->\n".formatted(name)));
    }

    private static String ofSubscriptions() throws InterruptedException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        SpreamMetrics metrics = SpreamMetrics.of(registry, "orders");
        try (HeldSubscription running = HeldSubscription.start(new InMemoryPartitionStorage(), List.of(metrics))) {
            assertThat(running).isNotNull();
            return table(registry, "subscription");
        }
    }

    private static String ofLocks() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        assertThat(LockMetrics.of(registry, "orders")).isNotNull();
        return table(registry, "locks");
    }

    private static String ofOutboxes() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        assertThat(OutboxMetrics.of(registry, "orders")).isNotNull();
        return table(registry, "outbox");
    }

    private static String ofProjections() {
        return table(SampleProjection.published(), "projection");
    }

    private static String table(PrometheusMeterRegistry registry, String tag) {
        Map<String, List<Meter>> meters = new TreeMap<>();
        registry.getMeters().stream()
                .filter(meter ->
                        meter.getId().getTag("partition") == null) // it comes and goes; described above the table
                .forEach(meter -> meters.merge(meter.getId().getName(), List.of(meter), MeterTableTest::both));
        return "| meter | in Prometheus | type | meaning | tags, besides `%s` |\n|---|---|---|---|---|\n".formatted(tag)
                + meters.values().stream().map(same -> row(registry, same, tag)).collect(joining());
    }

    private static List<Meter> both(List<Meter> some, List<Meter> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    private static String row(PrometheusMeterRegistry registry, List<Meter> same, String tag) {
        Meter.Id id = same.getFirst().getId();
        String name = registry.config().namingConvention().name(id.getName(), id.getType(), id.getBaseUnit());
        String all = id.getType() == Meter.Type.TIMER || id.getType() == Meter.Type.DISTRIBUTION_SUMMARY
                ? "`%s_bucket`, `_sum`, `_count`, `_max`".formatted(name)
                : "`%s%s`"
                        .formatted(
                                name, id.getType() == Meter.Type.COUNTER && !name.endsWith("_total") ? "_total" : "");
        return "| `%s` | %s | %s | %s | %s |\n"
                .formatted(
                        id.getName(),
                        all,
                        id.getType().name().toLowerCase(Locale.ROOT).replace('_', ' ')
                                + (id.getBaseUnit() == null ? "" : ", " + id.getBaseUnit()),
                        Objects.requireNonNull(id.getDescription()),
                        tags(same, tag));
    }

    private static String tags(List<Meter> same, String besides) {
        Map<String, String> values = new TreeMap<>();
        for (Meter meter : same) {
            for (Tag tag : meter.getId().getTags()) {
                values.merge(tag.getKey(), tag.getValue(), (some, more) -> some + ", " + more);
            }
        }
        values.remove(besides);
        return values.entrySet().stream()
                .map(entry -> "`%s`: %s"
                        .formatted(
                                entry.getKey(),
                                Arrays.stream(entry.getValue().split(", ", 0))
                                        .sorted()
                                        .collect(joining(", "))))
                .collect(joining("; "));
    }
}
