package dev.spream.examples.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.flink.SpannerStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.HighAvailabilityOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.util.ParameterTool;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files for the Flink Kubernetes operator agree with the job, its image and Flink's own options. */
final class KubernetesTest {
    private static final Path FOLDER = Path.of("../../ops/flink");
    private static final String APPLICATION = "application.yaml";
    private static final String SESSION = "session.yaml";

    private final List<Map<?, ?>> application = new ArrayList<>();
    private final List<Map<?, ?>> session = new ArrayList<>();

    @BeforeEach
    void load() throws IOException {
        load(APPLICATION, application);
        load(SESSION, session);
        assertThat(application)
                .extracting(object -> String.valueOf(object.get("kind")))
                .containsExactly("FlinkDeployment");
        assertThat(session)
                .extracting(object -> String.valueOf(object.get("kind")))
                .containsExactly("FlinkDeployment", "FlinkSessionJob");
    }

    private static void load(String file, List<Map<?, ?>> objects) throws IOException {
        new Load(LoadSettings.builder().setLabel(file).build())
                .loadAllFromString(Files.readString(FOLDER.resolve(file)))
                .forEach(object -> objects.add((Map<?, ?>) object));
    }

    @Test
    void the_job_of_an_application_is_in_its_image_and_that_of_a_session_is_the_jar_with_libraries()
            throws IOException {
        assertThat(at(job(application), "jarURI")).isEqualTo("local:///opt/flink/usrlib/flink-job.jar");
        assertThat(FlinkImage.instructions("COPY"))
                .anyMatch(copy -> copy.endsWith("/flink-job.jar /opt/flink/usrlib/"));
        assertThat(at(job(session), "jarURI").toString()).endsWith("/flink-job-session.jar");
        assertThat(at(session.getLast(), "spec", "deploymentName"))
                .isEqualTo(at(session.getFirst(), "metadata", "name"));
    }

    @ParameterizedTest
    @ValueSource(strings = {APPLICATION, SESSION})
    void the_job_accepts_its_arguments_and_keeps_its_state_in_an_upgrade(String file) {
        Object job = job(objects(file));
        assertThat(at(job, "entryClass")).isEqualTo(HighestBalances.class.getName());
        String[] arguments =
                ((List<?>) at(job, "args")).stream().map(String::valueOf).toArray(String[]::new);
        ParameterTool parameters = ParameterTool.fromArgs(arguments);
        assertThat(parameters.toMap()).containsOnlyKeys("database", "stream");
        SpannerStream.of(parameters.getRequired("database").replaceAll("[<>]", ""), parameters.getRequired("stream"));
        assertThat(at(job, "upgradeMode")).isEqualTo("savepoint");
    }

    @ParameterizedTest
    @ValueSource(strings = {APPLICATION, SESSION})
    void options_are_those_of_flink_with_aligned_checkpoints_in_durable_storage(String file) {
        Map<?, ?> options = (Map<?, ?>) at(objects(file).getFirst(), "spec", "flinkConfiguration");
        assertThat(options.keySet().stream().map(String::valueOf))
                .containsExactlyInAnyOrder(
                        TaskManagerOptions.NUM_TASK_SLOTS.key(),
                        CheckpointingOptions.CHECKPOINTING_INTERVAL.key(),
                        CheckpointingOptions.CHECKPOINT_STORAGE.key(),
                        CheckpointingOptions.CHECKPOINTS_DIRECTORY.key(),
                        CheckpointingOptions.SAVEPOINT_DIRECTORY.key(),
                        HighAvailabilityOptions.HA_MODE.key(),
                        HighAvailabilityOptions.HA_STORAGE_PATH.key(),
                        RestartStrategyOptions.RESTART_STRATEGY.key());
        Configuration configuration = new Configuration();
        options.forEach((key, value) -> configuration.setString(String.valueOf(key), String.valueOf(value)));
        assertThat(configuration.get(CheckpointingOptions.CHECKPOINTING_INTERVAL))
                .isEqualTo(Duration.ofSeconds(1));
        assertThat(configuration.get(CheckpointingOptions.ENABLE_UNALIGNED)).isFalse();
        for (var directory : List.of(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                CheckpointingOptions.SAVEPOINT_DIRECTORY,
                HighAvailabilityOptions.HA_STORAGE_PATH)) {
            assertThat(configuration.get(directory)).startsWith("gs://");
        }
    }

    @Test
    void the_flink_of_the_files_is_that_of_the_container_file() throws IOException {
        String image = FlinkImage.instructions("FROM").getFirst();
        assertThat(at(session.getFirst(), "spec", "image")).isEqualTo(image);
        assertThat(image).matches("flink:2\\.3\\.\\d+-java21");
        for (Map<?, ?> deployment : Set.of(application.getFirst(), session.getFirst())) {
            assertThat(at(deployment, "spec", "flinkVersion")).isEqualTo("v2_3");
            assertThat(at(deployment, "spec", "serviceAccount")).isEqualTo("flink");
        }
        Object variable = at(session.getFirst(), "spec", "podTemplate", "spec", "containers", 0, "env", 0);
        assertThat(FlinkImage.instructions("ENV")).containsExactly(at(variable, "name") + "=" + at(variable, "value"));
    }

    private List<Map<?, ?>> objects(String file) {
        return file.equals(APPLICATION) ? application : session;
    }

    private static Object job(List<Map<?, ?>> objects) {
        return at(objects.getLast(), "spec", "job");
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
