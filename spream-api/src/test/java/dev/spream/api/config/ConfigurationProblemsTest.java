package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the first start with a bad configuration reports all of its problems. */
final class ConfigurationProblemsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void two_typing_mistakes_in_one_file_are_both_named_with_what_was_meant() throws IOException {
        assertThat(problems(file("storage=jbdc\nmax-infligth=3\n"), Map.of()))
                .containsExactly(
                        "storage is 'jbdc' (file:1): expected jdbc | memory | spanner; did you mean jdbc?",
                        "max-infligth (file:2) is not a known key; did you mean max-inflight?",
                        "storage.jdbc.url is not configured; set it in the file, by the flag --storage.jdbc.url or by "
                                + "the variable SPREAM_CONFIG_STORAGE_JDBC_URL: Where the database is.");
    }

    @Test
    void a_program_advises_in_its_own_words_on_a_missing_key() {
        SpreamConfig config = SpreamConfig.builder()
                .set("storage", "jdbc")
                .advice(key -> "set the property app." + key)
                .build();

        assertThat(ResolvedConfig.of(config, List.of(TestKeys.SPREAM, TestKeys.JDBC))
                        .problems())
                .containsExactly(
                        "storage.jdbc.url is not configured; set the property app.storage.jdbc.url: Where the database is.");
    }

    @Test
    void everything_that_is_wrong_is_reported_at_once_and_in_order() throws IOException {
        Path file = file("""
                storage=
                lease-time=30
                max-buffered-bytes=64MB
                lease-time=31s
                =nothing
                storage.jdbc.user=${env:NOBODY}
                storage.jdbc.pin=12345
                storage.jdbc.password=${file:/does/not/exist}
                storage.memory.size=3
                """);
        Map<String, String> variables = Map.of("SPREAM_CONFIG_MAX_INFLIGHT", "0", "SPREAM_CONFIG_MAX", "1");

        assertThat(problems(file, variables))
                .containsExactly(
                        "storage is '' (file:1), which is empty; set a value, or remove it",
                        "lease-time is '30' (file:2): expected duration, 1s to 1h, such as 500ms, 10s, 5m, 2h or 1d",
                        "max-buffered-bytes is '64MB' (file:3): expected size, 1MiB to 1024GiB, such as 64MiB",
                        "lease-time (file:4) is already set at file:2; remove one of them",
                        "file:5 has no key; write key=value",
                        "storage.jdbc.user is '${env:NOBODY}' (file:6): the variable NOBODY is not set",
                        "storage.jdbc.pin is '********' (file:7): expected integer, 1 to 9999",
                        "storage.jdbc.password is '${file:/does/not/exist}' (file:8): "
                                + "the file /does/not/exist does not exist",
                        "storage.memory.size (file:9) is not a known key; of this kind there are storage.jdbc",
                        "the variable SPREAM_CONFIG_MAX matches no known key",
                        "max-inflight is '0' (SPREAM_CONFIG_MAX_INFLIGHT): expected integer, 1 to 1000",
                        "storage.jdbc.url is not configured; set it in the file, by the flag --storage.jdbc.url or by "
                                + "the variable SPREAM_CONFIG_STORAGE_JDBC_URL: Where the database is.");
    }

    @Test
    void an_unreadable_file_reports_no_missing_keys() {
        assertThat(problems(folder.resolve("none"), Map.of()))
                .containsExactly("the configuration file %s does not exist".formatted(folder.resolve("none")));
    }

    @Test
    void a_required_value_that_could_not_be_read_is_not_missing_too() throws IOException {
        assertThat(problems(file("storage.jdbc.url=C:\\users"), Map.of())).hasSize(1);
        assertThat(problems(file("storage.jdbc.url="), Map.of())).hasSize(1);
        assertThat(problems(file("storage.jdbc.url=${env:NOBODY}"), Map.of())).hasSize(1);
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("spream.properties"), text);
    }

    private List<String> problems(Path file, Map<String, String> variables) {
        var config = SpreamConfig.builder().file(file).environment(variables).build();
        return ResolvedConfig.of(config, List.of(TestKeys.SPREAM, TestKeys.JDBC)).problems().stream()
                .map(problem ->
                        problem.replace(folder.resolve("spream.properties").toString(), "file"))
                .toList();
    }
}
