package dev.spream.api.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every secret of these tests contains the word that may appear nowhere. */
final class SecrecyTest {
    private static final String SECRET = "hunter2";

    private static final ConfigKey<Integer> QUOTING = ConfigKey.of(
                    "quoting",
                    new ConfigType<>("a number", Integer::valueOf, String::valueOf), // its message quotes the value
                    "A key of a plug-in that has not read the contract.")
            .secret();
    private static final ConfigKey<Integer> TAKER = ConfigKey.of(
                    "taker", ConfigType.integer(1, 9), "A key that falls back to a secret one.")
            .withFallback("storage.jdbc.password");
    private static final ConfigKey<String> WEBHOOK = ConfigKey.of("webhook", ConfigType.text(), "An address.");
    private static final ConfigSection SINK =
            new ConfigSection("sink.test", List.of(QUOTING, TAKER, WEBHOOK, TestKeys.MAX_INFLIGHT), true);

    private static final ConfigSection WITHOUT_FALLBACK =
            new ConfigSection("sink.test", List.of(QUOTING, WEBHOOK), true);

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    @Test
    void no_secret_appears_in_anything_that_is_shown() throws IOException {
        Path content = Files.writeString(folder.resolve("content"), SECRET);
        Path file = Files.writeString(folder.resolve("spream.properties"), """
                storage.jdbc.url=${file:%1$s}
                storage.jdbc.pin=${file:%1$s}
                storage.jdbc.password=hunter2 ${nothing hunter2} ${env:NOT_SET}
                storage.jdbc.pasword=hunter2
                sink.test.quoting=hunter2
                sink.test.quoting=hunter2-again
                sink.test.max-inflight=${env:FOUND}
                sink.test.webhook=https://me:hunter2@example.com/?token=hunter2
                broken=hunter2\\u00
                blank=hunter2\\ \s
                """.formatted(content));
        var config = SpreamConfig.builder()
                .file(file)
                .environment(Map.of("FOUND", SECRET, "SPREAM_CONFIG_STORAGE_JDBC_USER", "${env:FOUND}"))
                .flag("storage.jdbc.pin", SECRET)
                .build();

        for (var section : List.of(TestKeys.JDBC, TestKeys.JDBC_UNUSED)) {
            var resolved = ResolvedConfig.of(config, List.of(section, SINK));

            assertThat(resolved.problems()).hasSizeGreaterThan(8);
            assertThat(shown(config, resolved)).isNotEmpty().noneMatch(text -> text.contains(SECRET));
        }
    }

    @Test
    void secrets_that_are_fine_appear_nowhere_either() throws IOException {
        Path content = Files.writeString(folder.resolve("content"), SECRET + "\n");
        var config = SpreamConfig.builder()
                .environment(Map.of("SPREAM_CONFIG_STORAGE_JDBC_USER", "${env:FOUND}", "FOUND", SECRET))
                .flag("storage.jdbc.password", "${file:%s}".formatted(content))
                .set("storage.jdbc.url", "jdbc:postgresql://h/d?password=hunter2")
                .build();
        var resolved = ResolvedConfig.of(config, List.of(TestKeys.JDBC, WITHOUT_FALLBACK));

        assertThat(resolved.problems()).isEmpty();
        assertThat(resolved.section("storage.jdbc").toString()).doesNotContain(SECRET);
        assertThat(resolved.section("storage.jdbc").get(TestKeys.PASSWORD)).isEqualTo(SECRET);
        assertThat(shown(config, resolved)).isNotEmpty().noneMatch(text -> text.contains(SECRET));
        assertThat(resolved.describe("storage.jdbc.password"))
                .isEqualTo("storage.jdbc.password is '${file:%s}' (--storage.jdbc.password)".formatted(content));
        assertThatThrownBy(() -> resolved.section("storage.jdbc").get(TestKeys.PIN))
                .hasMessageNotContaining(SECRET);
    }

    @Test
    void a_key_that_falls_back_to_a_secret_is_a_secret() {
        var resolved = ResolvedConfig.of(
                SpreamConfig.of(Map.of("storage.jdbc.password", SECRET)), List.of(TestKeys.JDBC_UNUSED, SINK));

        assertThat(resolved.problems())
                .containsExactly("storage.jdbc.password is '********' (set by the program), "
                        + "which sink.test.taker takes as well: expected integer, 1 to 9");
        assertThat(resolved.describe("sink.test.taker"))
                .isEqualTo("sink.test.taker is '********' (set by the program, for storage.jdbc.password)");
    }

    @Test
    void a_secret_in_plain_text_on_the_command_line_is_refused() {
        var config = SpreamConfig.builder()
                .flag("storage.jdbc.url", "somewhere")
                .flag("storage.jdbc.password", SECRET)
                .set("storage.jdbc.password", "what holds in the end")
                .build();

        assertThat(ResolvedConfig.of(config, List.of(TestKeys.JDBC)).problems())
                .containsExactly("storage.jdbc.password (--storage.jdbc.password) is a secret, and command lines are "
                        + "visible to all users of this machine; write it to a file that only you may read and give "
                        + "--storage.jdbc.password='${file:/path/to/it}', or set the variable "
                        + "SPREAM_CONFIG_STORAGE_JDBC_PASSWORD");
    }

    @Test
    void a_looked_up_value_that_is_refused_is_not_quoted() {
        var config = SpreamConfig.builder()
                .environment(Map.of("FOUND", SECRET, "SPREAM_CONFIG_MAX_INFLIGHT", "${env:FOUND}"))
                .build();

        assertThat(ResolvedConfig.of(config, List.of(TestKeys.SPREAM)).problems())
                .containsExactly("max-inflight is the value of '${env:FOUND}' (SPREAM_CONFIG_MAX_INFLIGHT): "
                        + "expected integer, 1 to 1000");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://hunter2@host",
                "https://u:p@hunter2@host",
                "https://u:p/hunter2@host",
                "https://u:p#hunter2@host",
                "https://u:$${hunter2@host",
                "https://${env:USER}:hunter2@host",
                "u:p hunter2@host",
                "jdbc:x://h/d?password=ab,hunter2",
                "jdbc:x://h/d;password=ab;hunter2",
                "host=h password=ab hunter2",
                "jdbc:x://h/d?sslPassword = ab&hunter2"
            })
    void no_tail_of_a_password_inside_a_value_is_shown(String written) {
        var config = SpreamConfig.of(Map.of("sink.test.webhook", written));
        assertThat(shown(config, ResolvedConfig.of(config, List.of(TestKeys.JDBC_UNUSED, WITHOUT_FALLBACK))))
                .noneMatch(text -> text.contains(SECRET));
    }

    private static List<String> shown(SpreamConfig config, ResolvedConfig resolved) {
        List<String> shown = new ArrayList<>(resolved.problems());
        shown.add(config.toString());
        shown.add(resolved.toString());
        shown.add(new ConfigException(List.of(String.join("\n", resolved.problems()), "")).toString());
        shown.add(ConfigReference.text(resolved.entries()));
        shown.add(ConfigReference.markdown(resolved.entries()));
        shown.add(resolved.entries().toString());
        Stream.of("storage.jdbc.url", "storage.jdbc.pin", "storage.jdbc.password", "sink.test.quoting")
                .forEach(key -> shown.add(resolved.describe(key)));
        return shown;
    }
}
