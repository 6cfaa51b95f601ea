package dev.spream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.api.ConfigCheck;
import dev.spream.api.HttpAddress;
import dev.spream.api.config.ConfigEntry;
import dev.spream.api.config.SpreamConfig;
import dev.spream.cli.command.DurationArgument;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The example for Kubernetes agrees with itself, with spream's judgement of its configuration, and with what is served. */
final class KubernetesTest {
    private static final Path FOLDER = Path.of("../ops/kubernetes");

    private final List<Map<?, ?>> objects = new ArrayList<>();

    @TempDir
    private Path root;

    @BeforeEach
    void load() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.sorted().toList()) {
                assertThat(file.toString()).endsWith(".yaml");
                new Load(LoadSettings.builder().setLabel(file.toString()).build())
                        .loadAllFromString(Files.readString(file))
                        .forEach(object -> objects.add((Map<?, ?>) object));
            }
        }
    }

    @Test
    void the_configuration_is_accepted_and_the_grace_period_is_longer_than_a_drain() throws IOException {
        ConfigCheck check = judge();
        assertThat(check.problems()).isEmpty();
        Duration drain = DurationArgument.parse(value(check, "shutdown-timeout"));
        Object grace = at(pod(), "terminationGracePeriodSeconds");
        assertThat(Duration.ofSeconds(((Number) grace).longValue())).isGreaterThan(drain.plusSeconds(10));
    }

    @Test
    void the_workers_share_a_storage_and_are_named_after_their_pods() throws IOException {
        assertThat(at(object("Deployment"), "spec", "replicas")).isEqualTo(3);
        assertThat(value(judge(), "storage")).isEqualTo("jdbc");
        assertThat(at(container(), "env", 0, "name")).isEqualTo(SpreamConfig.variable("worker"));
        assertThat(at(container(), "args", 1)).isEqualTo("--config");
        assertThat(at(container(), "args", 2))
                .isEqualTo(at(container(), "volumeMounts", 0, "mountPath") + "/spream.properties");
    }

    @Test
    void the_network_lets_in_the_port_that_is_served_and_out_what_the_configuration_names() throws IOException {
        Map<?, ?> policy = object("NetworkPolicy");
        assertThat(at(policy, "spec", "podSelector", "matchLabels"))
                .isEqualTo(at(object("Deployment"), "spec", "selector", "matchLabels"));
        assertThat(at(policy, "spec", "policyTypes")).isEqualTo(List.of("Ingress", "Egress"));
        assertThat(at(policy, "spec", "ingress", 0, "ports", 0, "port")).isEqualTo(at(container(), "ports", 0, "name"));
        assertThat(at(policy, "spec", "egress", 3, "ports", 0, "port")).isEqualTo(5432);
        assertThat(value(judge(), "storage.jdbc.url")).contains(":5432/");
    }

    @ParameterizedTest
    @CsvSource({"startupProbe, /health", "livenessProbe, /health", "readinessProbe, /ready"})
    void the_probes_ask_for_what_is_served(String probe, String path) {
        assertThat(at(container(), probe, "httpGet", "path")).isEqualTo(path);
        assertThat(at(container(), probe, "httpGet", "port")).isEqualTo(at(container(), "ports", 0, "name"));
    }

    @Test
    void the_port_is_the_same_wherever_it_is_named() throws IOException {
        HttpAddress served = HttpAddress.parse(value(judge(), "http"));
        assertThat(served.host()).isEqualTo("0.0.0.0");
        assertThat(at(container(), "ports", 0, "containerPort")).isEqualTo(served.port());
        Object annotations = at(object("Deployment"), "spec", "template", "metadata", "annotations");
        assertThat(at(annotations, "prometheus.io/port")).isEqualTo(String.valueOf(served.port()));
        assertThat(at(annotations, "prometheus.io/path")).isEqualTo("/metrics");
        assertThat(at(object("Service"), "spec", "ports", 0, "targetPort"))
                .isEqualTo(at(container(), "ports", 0, "name"));
        assertThat(Containerfile.read().one("EXPOSE")).isEqualTo(String.valueOf(served.port()));
    }

    @Test
    void everything_selects_the_workers() {
        Object labels = at(object("Deployment"), "spec", "template", "metadata", "labels");
        assertThat(at(object("Deployment"), "spec", "selector", "matchLabels")).isEqualTo(labels);
        assertThat(at(object("PodDisruptionBudget"), "spec", "selector", "matchLabels"))
                .isEqualTo(labels);
        assertThat(at(object("Service"), "spec", "selector")).isEqualTo(labels);
        for (int i = 0; i < 2; i++) {
            assertThat(at(pod(), "topologySpreadConstraints", i, "labelSelector", "matchLabels"))
                    .isEqualTo(labels);
        }
        assertThat(at(pod(), "serviceAccountName")).isEqualTo(at(object("ServiceAccount"), "metadata", "name"));
    }

    @Test
    void a_worker_may_do_nothing_that_it_need_not() throws IOException {
        assertThat(at(pod(), "securityContext", "runAsNonRoot")).isEqualTo(true);
        assertThat(Containerfile.read().one("USER"))
                .isEqualTo("%s:%s"
                        .formatted(
                                at(pod(), "securityContext", "runAsUser"), at(pod(), "securityContext", "runAsGroup")));
        assertThat(at(container(), "securityContext", "readOnlyRootFilesystem")).isEqualTo(true);
        assertThat(at(container(), "securityContext", "allowPrivilegeEscalation"))
                .isEqualTo(false);
        assertThat(at(container(), "securityContext", "capabilities", "drop")).isEqualTo(List.of("ALL"));
        assertThat(at(container(), "resources", "limits", "memory"))
                .isEqualTo(at(container(), "resources", "requests", "memory"));
    }

    /** Judged with the secret where the pod mounts it, under a root of the test's own. */
    private ConfigCheck judge() throws IOException {
        String properties = String.valueOf(at(object("ConfigMap"), "data", "spream.properties"));
        String mount = String.valueOf(at(container(), "volumeMounts", 1, "mountPath"));
        assertThat(at(container(), "volumeMounts", 1, "name")).isEqualTo("secrets");
        assertThat(properties).contains("${file:" + mount + "/");
        Path secrets = Files.createDirectories(root.resolve(mount.substring(1)));
        Files.writeString(secrets.resolve("database-password"), "secret\n");
        Path file = root.resolve("spream.properties");
        Files.writeString(file, properties.replace("${file:" + mount + "/", "${file:" + secrets + "/"));
        return ConfigCheck.of(SpreamConfig.builder().file(file).build());
    }

    private static String value(ConfigCheck check, String key) {
        return check.entries().stream()
                .filter(entry -> entry.key().equals(key))
                .map(ConfigEntry::value)
                .findFirst()
                .orElseThrow()
                .orElseThrow();
    }

    private Map<?, ?> object(String kind) {
        List<Map<?, ?>> found = objects.stream()
                .filter(object -> kind.equals(object.get("kind")))
                .toList();
        assertThat(found).as(kind).hasSize(1);
        return found.getFirst();
    }

    private Object pod() {
        return at(object("Deployment"), "spec", "template", "spec");
    }

    private Object container() {
        return at(pod(), "containers", 0);
    }

    /** Returns the value at a path of names and indexes. */
    private static Object at(Object start, Object... path) {
        Object here = start;
        for (Object step : path) {
            Object next = step instanceof Integer place ? ((List<?>) here).get(place) : ((Map<?, ?>) here).get(step);
            if (next == null) {
                throw new AssertionError("there is no %s in %s".formatted(step, here));
            }
            here = next;
        }
        return here;
    }
}
