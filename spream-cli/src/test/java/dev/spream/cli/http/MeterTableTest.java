package dev.spream.cli.http;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

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
    private static final String BEGIN = "<!-- meters: begin -->\n";
    private static final String END = "<!-- meters: end -->\n";

    @Test
    void the_page_lists_every_meter() throws Exception {
        String page = Files.readString(PAGE);
        String current =
                page.substring(0, page.indexOf(BEGIN) + BEGIN.length()) + table() + page.substring(page.indexOf(END));
        if (System.getenv("METERS_WRITE") != null) {
            Files.writeString(PAGE, current);
        }
        assertThat(Files.readString(PAGE))
                .as("to write the meters: METERS_WRITE=true mvn -pl spream-cli -am -Dtest=MeterTableTest"
                        + " -Dsurefire.failIfNoSpecifiedTests=false test")
                .isEqualTo(current);
    }

    private static String table() throws InterruptedException {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        SpreamMetrics metrics = SpreamMetrics.of(registry, "orders");
        Map<String, List<Meter>> meters = new TreeMap<>();
        try (HeldSubscription running = HeldSubscription.start(new InMemoryPartitionStorage(), List.of(metrics))) {
            assertThat(running).isNotNull();
            registry.getMeters()
                    .forEach(meter -> meters.merge(meter.getId().getName(), List.of(meter), MeterTableTest::both));
        }
        return "| meter | in Prometheus | type | meaning | tags, besides `subscription` |\n|---|---|---|---|---|\n"
                + meters.values().stream().map(same -> row(registry, same)).collect(joining());
    }

    private static List<Meter> both(List<Meter> some, List<Meter> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    private static String row(PrometheusMeterRegistry registry, List<Meter> same) {
        Meter.Id id = same.getFirst().getId();
        String name = registry.config().namingConvention().name(id.getName(), id.getType(), id.getBaseUnit());
        String all = id.getType() == Meter.Type.TIMER
                ? "`%s_bucket`, `_sum`, `_count`, `_max`".formatted(name)
                : "`%s%s`"
                        .formatted(
                                name, id.getType() == Meter.Type.COUNTER && !name.endsWith("_total") ? "_total" : "");
        return "| `%s` | %s | %s | %s | %s |\n"
                .formatted(
                        id.getName(),
                        all,
                        id.getType().name().toLowerCase(Locale.ROOT)
                                + (id.getBaseUnit() == null ? "" : ", " + id.getBaseUnit()),
                        Objects.requireNonNull(id.getDescription()),
                        tags(same));
    }

    private static String tags(List<Meter> same) {
        Map<String, String> values = new TreeMap<>();
        for (Meter meter : same) {
            for (Tag tag : meter.getId().getTags()) {
                values.merge(tag.getKey(), tag.getValue(), (some, more) -> some + ", " + more);
            }
        }
        values.remove("subscription");
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
