package dev.spream.examples.vocabulary;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.ConfiguredProjections;
import dev.spream.projection.ProjectionOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The manifest for Cloud Run, and the container file, agree with what the service reads and serves. */
final class CloudRunTest {
    private static final Path MANIFEST = Path.of("../ops/cloudrun/vocabulary-service.yaml");
    private static final Path CONTAINERFILE = Path.of("vocabulary/Containerfile");

    private Map<?, ?> template = Map.of();
    private Map<?, ?> container = Map.of();

    @BeforeEach
    void load() throws IOException {
        Map<?, ?> service =
                (Map<?, ?>) new Load(LoadSettings.builder().build()).loadFromString(Files.readString(MANIFEST));
        template = (Map<?, ?>) at(service, "spec", "template");
        container = (Map<?, ?>) at(template, "spec", "containers", 0);
    }

    private static Object at(Object object, Object... path) {
        Object value = object;
        for (Object step : path) {
            Object next = step instanceof Integer index ? ((List<?>) value).get(index) : ((Map<?, ?>) value).get(step);
            value = requireNonNull(next, String.valueOf(step));
        }
        return value;
    }

    /** As the service would find it, with something in place of each secret. */
    private Map<String, String> environment() {
        Map<String, String> environment = new HashMap<>();
        for (Object each : (List<?>) at(container, "env")) {
            Map<?, ?> variable = (Map<?, ?>) each;
            String name = String.valueOf(variable.get("name"));
            String secret = name.equals("MEILISEARCH_API_KEY") ? "key" : "postgres://u:p@db/" + name;
            environment.put(name, variable.containsKey("value") ? String.valueOf(variable.get("value")) : secret);
        }
        return environment;
    }

    @Test
    void secrets_are_references_and_not_literals() {
        for (Object each : (List<?>) at(container, "env")) {
            Map<?, ?> variable = (Map<?, ?>) each;
            boolean secret = List.of("DATABASE_URL", "EVENT_STORE_URL", "MEILISEARCH_API_KEY")
                    .contains(String.valueOf(variable.get("name")));
            assertThat(variable.containsKey("valueFrom"))
                    .as(String.valueOf(variable.get("name")))
                    .isEqualTo(secret);
        }
    }

    @Test
    void the_service_accepts_its_variables() {
        VocabularySettings settings = new VocabularySettings(environment());
        try (ConfiguredProjections configured = ConfiguredProjections.open(settings.projections())) {
            ProjectionOptions search = settings.searchOptions(configured.options());
            assertThat(search.batch()).isEqualTo(100);
            assertThat(search.linger()).isEqualTo(Duration.ofSeconds(5));
            assertThat(search.maxAttempts()).isEqualTo(4);
            assertThat(search.initialDelay()).isEqualTo(Duration.ofSeconds(1));
            assertThat(search.maxDelay()).isEqualTo(Duration.ofSeconds(30));
        }
        assertThat(settings.events()).isEqualTo(EventsFrom.EVENT_STORE);
    }

    @Test
    void the_probes_ask_for_what_is_served_and_none_starts_a_process_anew_for_a_projection_that_failed() {
        Map<String, String> probes = Map.of(
                "startupProbe", ManagementApi.LIVE,
                "livenessProbe", ManagementApi.LIVE,
                "readinessProbe", ManagementApi.READY);
        probes.forEach((probe, path) -> {
            assertThat(at(container, probe, "httpGet", "path")).isEqualTo(path);
            assertThat(at(container, probe, "httpGet", "port"))
                    .isEqualTo(new VocabularySettings(Map.of()).managementHttp().port());
        });
        assertThat(at(container, "ports", 0, "containerPort"))
                .isEqualTo(new VocabularySettings(Map.of()).http().port());
    }

    @Test
    void projections_have_a_processor_between_requests() {
        assertThat(at(template, "metadata", "annotations", "run.googleapis.com/cpu-throttling"))
                .isEqualTo("false");
        assertThat(at(template, "metadata", "annotations", "autoscaling.knative.dev/minScale"))
                .isEqualTo("1");
    }

    @Test
    void the_container_runs_the_program_as_an_unprivileged_user() throws IOException {
        assertThat(Files.readString(CONTAINERFILE))
                .contains("USER 10001:10001", "\"" + VocabularyProgram.class.getName() + "\"")
                .contains(
                        VocabularySettings.HTTP + "=0.0.0.0:8080", VocabularySettings.MANAGEMENT_HTTP + "=0.0.0.0:9090")
                .contains(VocabularySettings.SEARCH_DIRECTORY + "=");
    }
}
