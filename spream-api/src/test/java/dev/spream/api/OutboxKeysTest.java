package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.outbox.worker.Backoff;
import dev.spream.outbox.worker.OrderedFailurePolicy;
import dev.spream.outbox.worker.OutboxSenderOptions;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class OutboxKeysTest {
    private static final Pattern RANGE = Pattern.compile("(?:integer|duration), (\\S+) to (\\S+)");

    /** Options that are set otherwise. */
    private static final Set<String> NOT_TEXT = Set.of("name", "sender", "listeners");

    /** The defaults of the seed's configuration. */
    @Test
    void defaults_are_those_that_deployments_know() {
        OutboxWorkerOptions options = options(Map.of());
        assertThat(options.sender().concurrency()).isEqualTo(4);
        assertThat(options.batch()).isEqualTo(32);
        assertThat(options.pollInterval()).isEqualTo(Duration.ofMillis(500));
        assertThat(options.lease()).isEqualTo(Duration.ofMinutes(2));
        assertThat(options.sender().maxAttempts()).isEqualTo(6);
        assertThat(options.sender().backoff()).isEqualTo(Backoff.DEFAULT);
        assertThat(options.sender().sendTimeout()).isEqualTo(Duration.ofMillis(2_500));
        assertThat(OutboxKeys.ENABLED.defaultValue()).contains(false);
    }

    @Test
    void every_option_that_text_can_express_has_a_key() {
        Set<String> expected = Stream.of(OutboxWorkerOptions.class, OutboxSenderOptions.class)
                .flatMap(options -> Arrays.stream(options.getRecordComponents()))
                .map(component ->
                        component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .filter(name -> !NOT_TEXT.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(OutboxKeys.options().stream().map(option -> option.key().name()))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void every_key_sets_its_option() {
        OutboxWorkerOptions options = options(Map.of(
                "concurrency", "200",
                "batch", "64",
                "poll-interval", "2s",
                "lease", "30s",
                "send-timeout", "7s",
                "max-attempts", "9",
                "max-age", "1h",
                "ordered-failure", "park",
                "breaker-failures", "0",
                "entry-retention", "3d"));
        assertThat(options.sender().concurrency()).isEqualTo(200);
        assertThat(options.batch()).isEqualTo(64);
        assertThat(options.pollInterval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(options.lease()).isEqualTo(Duration.ofSeconds(30));
        assertThat(options.sender().sendTimeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(options.sender().maxAttempts()).isEqualTo(9);
        assertThat(options.sender().maxAge()).isEqualTo(Optional.of(Duration.ofHours(1)));
        assertThat(options.sender().orderedFailure()).isEqualTo(OrderedFailurePolicy.PARK);
        assertThat(options.sender().breakerFailures()).isZero();
        assertThat(options.entryRetention()).isEqualTo(Duration.ofDays(3));
    }

    @Test
    void old_rows_are_removed_unless_the_configuration_disables_it() {
        OutboxWorkerOptions defaults = options(Map.of());
        assertThat(defaults.entryRetention()).isEqualTo(Duration.ofDays(7));
        assertThat(defaults.ledgerRetention()).isEqualTo(Duration.ofDays(30));
        assertThat(defaults.auditRetention()).isEqualTo(Duration.ofDays(90));
        OutboxWorkerOptions options = options(Map.of(
                "breaker-pause", "3s", "entry-retention", "0s", "ledger-retention", "60d", "audit-retention", "365d"));
        assertThat(options.sender().breakerPause()).isEqualTo(Duration.ofSeconds(3));
        assertThat(options.entryRetention()).isZero();
        assertThat(options.ledgerRetention()).isEqualTo(Duration.ofDays(60));
        assertThat(options.auditRetention()).isEqualTo(Duration.ofDays(365));
    }

    static List<OptionKey<OutboxWorkerOptions.Builder, ?>> withRange() {
        return OutboxKeys.options().stream()
                .filter(option -> RANGE.matcher(option.key().type().label()).matches())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("withRange")
    <T> void a_range_that_is_shown_is_the_one_that_holds(OptionKey<OutboxWorkerOptions.Builder, T> option) {
        Matcher range = RANGE.matcher(option.key().type().label());
        assertThat(range.matches()).isTrue();
        for (String bound : List.of(range.group(1), range.group(2))) {
            T value = option.key().type().read(bound);
            assertThatCode(() -> set(option, value)).doesNotThrowAnyException();
        }
        T highest = option.key().type().read(range.group(2));
        assertThatThrownBy(() -> set(option, beyond(highest))).isInstanceOf(IllegalArgumentException.class);
    }

    @SuppressWarnings("unchecked") // of the same class
    private static <T> T beyond(T value) {
        return (T)
                switch (value) {
                    case Integer number -> number + 1;
                    case Duration duration -> duration.plusNanos(1);
                    default -> throw new AssertionError("a range of " + value);
                };
    }

    private static <T> void set(OptionKey<OutboxWorkerOptions.Builder, T> option, T value) {
        OutboxWorkerOptions.Builder options = OutboxWorkerOptions.builder();
        option.setter().accept(options, value);
        options.build();
    }

    @ParameterizedTest
    @ValueSource(strings = {"5s,10s,20s,40s,80s,160s", "0s", "500ms,7d", "5s..10m", "1ms..1ms"})
    void waits_are_written_as_they_are_read(String text) {
        assertThat(BackoffType.TYPE.write(BackoffType.TYPE.read(text))).isEqualTo(text);
    }

    @Test
    void waits_are_a_table_or_at_random() {
        assertThat(BackoffType.TYPE.read("1s, 2s"))
                .isEqualTo(Backoff.table(List.of(Duration.ofSeconds(1), Duration.ofSeconds(2))));
        assertThat(BackoffType.TYPE.read("5s..10m"))
                .isEqualTo(Backoff.exponential(Duration.ofSeconds(5), Duration.ofMinutes(10)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "5s,,10s; separated by single commas",
                "5; such as 500ms",
                "8d; duration, 0s to 7d",
                "0s..5s; duration, 1ms to 7d",
                "10s..5s; the shorter delay before"
            })
    void waits_that_cannot_be_are_refused(String text, String reason) {
        assertThatThrownBy(() -> BackoffType.TYPE.read(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(reason);
    }

    private static OutboxWorkerOptions options(Map<String, String> values) {
        SpreamConfig.Builder config = SpreamConfig.builder();
        values.forEach((key, value) -> config.set("outbox." + key, value));
        ResolvedConfig resolved =
                ResolvedConfig.of(config.build(), List.of(new ConfigSection("outbox", OutboxKeys.all(), true)));
        assertThat(resolved.problems()).isEmpty();
        return OutboxKeys.options(resolved.section("outbox")).build();
    }
}
