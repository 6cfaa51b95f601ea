package dev.spream.cli.http;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.HttpAddress;
import dev.spream.api.metrics.LockMetrics;
import dev.spream.api.metrics.OutboxMetrics;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.record.JsonObject;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** Every series and label that the alert rules and the dashboard name is in what a subscription that runs, locks, the worker of an outbox, and projections answer. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class OperatorFilesTest {
    private static final Path ALERTS = Path.of("../ops/prometheus/alerts.yml");
    private static final Path DASHBOARD = Path.of("../ops/grafana/spream.json");
    private static final Pattern LABEL_IN_TEXT = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?(\\w+)\\s*}}");

    private Scrape scrape = new Scrape(Map.of());

    @BeforeAll
    void scrape() throws Exception {
        try (HttpEndpoints endpoints = new HttpEndpoints(
                        new HttpAddress("127.0.0.1", 0), "orders", PageParts.NONE, InstantSource.system());
                HeldSubscription running =
                        HeldSubscription.start(new InMemoryPartitionStorage(), endpoints.listeners());
                HttpClient client = HttpClient.newHttpClient()) {
            assertThat(running).isNotNull();
            HttpRequest request = HttpRequest.newBuilder(URI.create(endpoints.listen() + "metrics"))
                    .build();
            scrape = Scrape.parse(client.send(request, BodyHandlers.ofString()).body()
                    + ofLocks()
                    + ofOutboxes()
                    + SampleProjection.published().scrape());
        }
    }

    private static String ofLocks() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        assertThat(LockMetrics.of(registry, "orders")).isNotNull();
        return registry.scrape();
    }

    private static String ofOutboxes() {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        assertThat(OutboxMetrics.of(registry, "orders")).isNotNull();
        return registry.scrape();
    }

    @Test
    void the_alert_rules_name_what_is_there_and_say_what_to_do() throws Exception {
        List<JsonObject> rules = yaml(ALERTS).objects("groups").stream()
                .flatMap(group -> group.objects("rules").stream())
                .toList();
        assertThat(rules).hasSizeGreaterThan(10).allSatisfy(rule -> {
            String expression = rule.string("expr").orElseThrow();
            assertThat(scrape.missing(expression)).as(expression).isEmpty();
            JsonObject annotations = rule.object("annotations").orElseThrow();
            assertThat(annotations.members().keySet()).containsExactlyInAnyOrder("summary", "meaning", "action");
            Set<String> labels = new TreeSet<>(PromQl.parse(expression).labels());
            labels.add("instance");
            assertThat(labels)
                    .containsAll(labelsIn(annotations.string("summary").orElseThrow()));
            assertThat(rule.object("labels").orElseThrow().string("severity"))
                    .isIn(Optional.of("warning"), Optional.of("critical"));
        });
        assertThat(rules.stream().map(rule -> rule.string("alert").orElseThrow()))
                .doesNotHaveDuplicates();
    }

    @Test
    void the_dashboard_names_what_is_there() throws Exception {
        JsonObject dashboard = JsonObject.of(Files.readString(DASHBOARD));
        List<JsonObject> panels = dashboard.objects("panels");
        List<JsonObject> targets = panels.stream()
                .flatMap(panel -> panel.objects("targets").stream())
                .toList();
        assertThat(targets).hasSizeGreaterThan(20).allSatisfy(target -> {
            String expression = target.string("expr").orElseThrow();
            assertThat(scrape.missing(expression)).as(expression).isEmpty();
            Set<String> labels = new TreeSet<>(PromQl.parse(expression).labels());
            assertThat(labels)
                    .as(expression)
                    .containsAll(labelsIn(target.string("legendFormat").orElseThrow()));
        });
        assertThat(panels.stream().map(panel -> panel.string("id").orElseThrow()))
                .doesNotHaveDuplicates();
        for (JsonObject variable : dashboard.object("templating").orElseThrow().objects("list")) {
            String query = variable.string("query").orElseThrow();
            if (query.startsWith("label_values(")) {
                assertThat(scrape.missing(query.replaceFirst(",\\s*\\w+\\)$", ")")))
                        .isEmpty();
            }
        }
    }

    @Test
    void every_meter_is_on_the_dashboard() throws Exception {
        Set<String> shown = new TreeSet<>();
        for (JsonObject panel : JsonObject.of(Files.readString(DASHBOARD)).objects("panels")) {
            panel.objects("targets")
                    .forEach(target -> shown.addAll(
                            PromQl.parse(target.string("expr").orElseThrow()).series()));
        }
        assertThat(scrape.labels().keySet().stream()
                        .filter(series -> series.matches("(spream|outbox|projection)_.*"))
                        .filter(series -> !series.matches(".*_(seconds|batch_size)_(max|count|sum)"))
                        .filter(series -> !Set.of(
                                        "spream_deliveries_total",
                                        "spream_watermarks_writes_total",
                                        "spream_lag_partition_seconds") // while a partition lags
                                .contains(series)))
                .hasSizeGreaterThan(15)
                .isSubsetOf(shown);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spream_lag_minutes",
                "rate(spream_deliverys_total[5m])",
                "sum by (table) (spream_inflight)",
                "spream_inflight{partition=\"x\"}",
                "max(spream_lag_seconds) > 1 and on (color) spream_inflight"
            })
    void a_name_that_is_not_there_is_found(String expression) {
        assertThat(scrape.missing(expression)).hasSize(1);
    }

    @Test
    void names_are_told_from_functions_keywords_ranges_and_texts() {
        assertThat(PromQl.parse("sum by (le, job) (rate(a_bucket{x=~\"b|c\", y!=\"d\"}[$__rate_interval])) > 1e3"
                        + " and on (z) group_left () histogram_quantile(0.9, b:c) offset 5m unless bool d"))
                .isEqualTo(new PromQl(Set.of("a_bucket", "b:c", "d"), Set.of("le", "job", "x", "y", "z")));
    }

    private static JsonObject yaml(Path file) throws Exception {
        Object document = requireNonNull(
                new Load(LoadSettings.builder().build()).loadFromString(Files.readString(file)), file.toString());
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        ((Map<?, ?>) document).forEach((name, value) -> members.put(String.valueOf(name), value));
        return JsonObject.of(members);
    }

    private static List<String> labelsIn(String text) {
        return LABEL_IN_TEXT
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .toList();
    }
}
