package dev.spream.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigTypeTest {
    private static final ConfigType<Integer> INTEGER = ConfigType.integer(-5, 1_000);
    private static final ConfigType<Long> SIZE = ConfigType.size(1, 1L << 40);
    private static final ConfigType<Duration> DURATION =
            ConfigType.duration(Duration.ofMillis(100), Duration.ofDays(7));

    @Test
    void integers_are_read_within_their_range() {
        for (int value : new int[] {-5, -1, 0, 999, 1_000}) {
            assertThat(INTEGER.read(INTEGER.write(value))).isEqualTo(value);
        }
        var all = ConfigType.integer(Integer.MIN_VALUE, Integer.MAX_VALUE);
        assertThat(all.read("-2147483648")).isEqualTo(Integer.MIN_VALUE);
        assertThat(all.read("2147483647")).isEqualTo(Integer.MAX_VALUE);
        assertRefused(all, "2147483648", "expected integer, -2147483648 to 2147483647");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-6",
                "1001",
                "4294967297",
                "99999999999999999999",
                "",
                " 1",
                "1 ",
                "+1",
                "1.0",
                "1e2",
                "0x1",
                "١"
            })
    void other_integers_are_refused(String text) {
        assertRefused(INTEGER, text, "expected integer, -5 to 1000");
    }

    @ParameterizedTest
    @CsvSource({"1B, 1", "1024B, 1024", "1KiB, 1024", "64MiB, 67108864", "1GiB, 1073741824", "1024GiB, 1099511627776"})
    void sizes_are_read(String text, long bytes) {
        assertThat(SIZE.read(text)).isEqualTo(bytes);
        assertThat(SIZE.read(SIZE.write(bytes))).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"64", "64MB", "64mib", "64 MiB", "-1B", "", "MiB", "1.5GiB", "1000000000000000000B "})
    void an_invalid_size_is_refused(String text) {
        assertRefused(SIZE, text, "expected size, 1B to 1024GiB, such as 64MiB");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0B", "1025GiB", "999999999999999999GiB", "1099511627777B"})
    void sizes_out_of_range_are_refused(String text) {
        assertRefused(SIZE, text, "expected size, 1B to 1024GiB");
    }

    @ParameterizedTest
    @CsvSource({
        "100ms, 100",
        "1500ms, 1500",
        "10s, 10000",
        "5m, 300000",
        "90s, 90000",
        "2h, 7200000",
        "1d, 86400000",
        "7d, 604800000"
    })
    void durations_are_read_and_written_as_people_would(String text, long millis) {
        assertThat(DURATION.read(text)).isEqualTo(Duration.ofMillis(millis));
        assertThat(DURATION.write(Duration.ofMillis(millis))).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "1m30s, 90000",
        "1h30m, 5400000",
        "1.5s, 1500",
        "0.25h, 900000",
        "1d2h3m4s5ms, 93784005",
        "1s500ms, 1500",
        "30s1m, 90000"
    })
    void durations_have_several_parts_and_fractions_as_in_go(String text, long millis) {
        assertThat(DURATION.read(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10", "10 s", "10S", "PT10S", "-1s", "1.0005s", ".5s", "1.s", "1us", "1w", "", "s", "1h30", "1h 30m"
            })
    void an_invalid_duration_is_refused(String text) {
        assertRefused(DURATION, text, "expected duration, 100ms to 7d, such as 500ms, 10s, 5m, 2h or 1d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"99ms", "0s", "8d", "604800001ms", "6d24h1ms", "999999999999d"})
    void durations_out_of_range_are_refused(String text) {
        assertRefused(DURATION, text, "expected duration, 100ms to 7d");
    }

    @Test
    void no_duration_at_all_is_written_in_seconds() {
        var type = ConfigType.duration(Duration.ZERO, Duration.ofHours(1));

        assertThat(type.label()).isEqualTo("duration, 0s to 1h");
        assertThat(type.read("0ms")).isEqualTo(Duration.ZERO);
    }

    @Test
    void declaring_a_duration_that_cannot_be_written_fails() {
        assertThatThrownBy(() -> ConfigType.duration(Duration.ofNanos(1), Duration.ofDays(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("0.000001 ms is not a non-negative number of whole milliseconds");
    }

    @Test
    void flags_are_true_or_false() {
        assertThat(ConfigType.flag().read("true")).isTrue();
        assertThat(ConfigType.flag().read("false")).isFalse();
        assertThat(ConfigType.flag().write(true)).isEqualTo("true");
        for (String text : List.of("TRUE", "yes", "1", "")) {
            assertRefused(ConfigType.flag(), text, "expected true or false");
        }
    }

    @Test
    void choices_are_constants_in_lower_case() {
        var type = ConfigType.choice(Sample.class);

        assertThat(type.label()).isEqualTo("one | two-words");
        assertThat(type.choices()).containsExactly("one", "two-words");
        for (Sample sample : Sample.values()) {
            assertThat(type.read(type.write(sample))).isEqualTo(sample);
        }
        for (String text : List.of("ONE", "two_words", "TWO_WORDS", "three", "")) {
            assertRefused(type, text, "expected one | two-words");
        }
    }

    @Test
    void names_are_those_that_there_are() {
        var type = ConfigType.name(List.of("jdbc", "memory"));

        assertThat(type.read("jdbc")).isEqualTo("jdbc");
        assertThat(type.choices()).containsExactly("jdbc", "memory");
        assertRefused(type, "jbdc", "expected jdbc | memory");
    }

    @Test
    void texts_are_what_they_are() {
        assertThat(ConfigType.text().read(" a, b ")).isEqualTo(" a, b ");
        assertThat(ConfigType.text().write(" a, b ")).isEqualTo(" a, b ");
    }

    @Test
    void paths_are_read() {
        var type = ConfigType.path();

        assertThat(type.read("a/b.jsonl")).isEqualTo(Path.of("a", "b.jsonl"));
        assertThat(type.read(type.write(Path.of("/a b")))).isEqualTo(Path.of("/a b"));
        assertThatThrownBy(() -> type.read("a\0b"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("expected a path: ")
                .hasMessageNotContaining("a\0b");
    }

    @Test
    void urls_have_one_of_the_schemes_and_a_host() {
        var type = ConfigType.url("http", "https");

        assertThat(type.read("https://example.com:8080/hook?a=b"))
                .isEqualTo(URI.create("https://example.com:8080/hook?a=b"));
        assertThat(type.write(URI.create("http://[::1]/"))).isEqualTo("http://[::1]/");
        for (String text : List.of("example.com", "ftp://example.com", "https:///hook", "https:", "a b", "", "/hook")) {
            assertThatThrownBy(() -> type.read(text))
                    .as(text)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith("expected URL, http or https");
        }
    }

    @Test
    void lists_are_parted_by_commas() {
        var type = ConfigType.list();

        assertThat(type.read("Orders, Items ,Users")).containsExactly("Orders", "Items", "Users");
        assertThat(type.read(type.write(List.of("a", "b")))).containsExactly("a", "b");
        for (String text : List.of("", " ", "a,,b", "a,", ",a")) {
            assertRefused(type, text, "expected texts separated by single commas");
        }
    }

    private static void assertRefused(ConfigType<?> type, String text, String message) {
        assertThatThrownBy(() -> type.read(text))
                .as("'%s'", text)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message);
    }

    private enum Sample {
        ONE,
        TWO_WORDS
    }
}
