package dev.spream.examples.flink;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Mutation;
import com.google.spanner.admin.database.v1.DatabaseDialect;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.servers.SpannerServers;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Executes the instructions of the container file in a folder in place of the image's root, and runs the job there. */
final class HighestBalancesIT {
    private static final String DATABASE = "projects/demo/instances/demo/databases/bank";
    private static final Path SESSION_JAR = Path.of("target/flink-job-session.jar");
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path root;

    @ParameterizedTest
    @MethodSource("clusters")
    @Tag("proof")
    void the_job_runs_with_the_libraries_of_flink_and_those_that_it_brings_along(boolean session) throws Exception {
        try (SpannerEmulator emulator = emulator();
                SpannerConnection connection = SpannerConnection.builder(DatabaseName.parse(DATABASE))
                        .emulatorHost(emulator.emulatorHost())
                        .open();
                FlinkImage image = new FlinkImage(root)) {
            connection.client().write(List.of(balance("a", 5), balance("b", 1)));
            List<String> arguments = List.of(
                    "--database", DATABASE, "--stream", "AccountsStream", "--emulator-host", emulator.emulatorHost());
            if (session) {
                image.startSession(SESSION_JAR, arguments);
            } else {
                image.startApplication(HighestBalances.class, arguments);
            }
            await(image, "(a,5)", "(b,1)");
            connection.client().write(List.of(balance("a", 2), balance("b", 3)));
            await(image, "(b,3)");
        }
    }

    static Stream<Boolean> clusters() {
        return SpannerServers.areAll() ? Stream.of(false, true) : Stream.of(false);
    }

    @Test
    void the_image_has_the_libraries_of_the_job_and_none_of_flink() throws IOException {
        try (FlinkImage image = new FlinkImage(root)) {
            assertThat(image.jars())
                    .contains("flink-job.jar")
                    .anyMatch(library -> library.startsWith("spream-flink-"))
                    .anyMatch(library -> library.startsWith("google-cloud-spanner-"))
                    .noneMatch(library -> library.matches("flink-(?!job).*|slf4j-.*"));
        }
    }

    @Test
    void the_jar_for_a_session_has_the_same_libraries() throws Exception {
        try (FlinkImage image = new FlinkImage(root);
                PackagedProgram program = PackagedProgram.newBuilder()
                        .setJarFile(SESSION_JAR.toFile())
                        .build()) {
            assertThat(program.getMainClassName()).isEqualTo(HighestBalances.class.getName());
            assertThat(program.getJobJarAndDependencies())
                    .hasSameSizeAs(image.jars())
                    .anyMatch(jar -> jar.getPath().contains("spream-flink-"));
        }
    }

    @Test
    void the_image_has_the_flink_that_the_job_is_compiled_with() throws IOException {
        String version = StreamExecutionEnvironment.class.getPackage().getImplementationVersion();
        assertThat(version).isNotNull();
        assertThat(FlinkImage.instructions("FROM")).containsExactly("flink:" + version + "-java21");
        assertThat(FlinkImage.instructions("ENV"))
                .containsExactly("ENABLE_BUILT_IN_PLUGINS=flink-gs-fs-hadoop-" + version + ".jar");
    }

    private static SpannerEmulator emulator() {
        SpannerEmulator emulator = SpannerEmulator.builder().start();
        emulator.createDatabase(
                DATABASE,
                DatabaseDialect.GOOGLE_STANDARD_SQL,
                "CREATE TABLE Accounts (AccountId STRING(36) NOT NULL, Balance INT64) PRIMARY KEY (AccountId)",
                "CREATE CHANGE STREAM AccountsStream FOR Accounts");
        return emulator;
    }

    private static Mutation balance(String account, long balance) {
        return Mutation.newInsertOrUpdateBuilder("Accounts")
                .set("AccountId")
                .to(account)
                .set("Balance")
                .to(balance)
                .build();
    }

    private static void await(FlinkImage image, String... lines) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!image.output("taskmanager").lines().toList().containsAll(List.of(lines))) {
            assertThat(image.isRunning() && System.nanoTime() < deadline)
                    .as(
                            "%s is printed;%njob manager: %s%ntask manager: %s",
                            List.of(lines), image.output("jobmanager"), image.output("taskmanager"))
                    .isTrue();
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }
}
