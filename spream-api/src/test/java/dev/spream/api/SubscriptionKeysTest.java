package dev.spream.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.config.ConfigSection;
import dev.spream.api.config.ResolvedConfig;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.PluginConfig;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.subscription.SubscriberOptions;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class SubscriptionKeysTest {
    private static final Pattern RANGE = Pattern.compile("(?:integer|duration|size), (\\S+) to (\\S+)");

    /** Options that are set otherwise: times, policies, the program's own parts. */
    private static final Set<String> NOT_TEXT = Set.of(
            "start-timestamp",
            "end-timestamp",
            "stored-range",
            "error-handler",
            "dead-letter-sink",
            "worker",
            "transaction-buffer",
            "listeners");

    static List<OptionKey<SubscriberOptions.Builder, ?>> withRange() {
        return SubscriptionKeys.options().stream()
                .filter(option -> RANGE.matcher(option.key().type().label()).matches())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("withRange")
    void a_range_that_is_shown_is_the_one_that_holds(OptionKey<SubscriberOptions.Builder, ?> option) {
        Matcher range = RANGE.matcher(option.key().type().label());
        assertThat(range.matches()).isTrue();
        for (String bound : List.of(range.group(1), range.group(2))) {
            assertThatCode(() -> set(option, bound)).doesNotThrowAnyException();
        }
        if (!option.key().name().equals("max-buffered-bytes")) { // has no highest value in the options
            assertThat(refusesBeyond(option, range.group(2))).isTrue();
        }
    }

    @Test
    void every_option_of_a_subscriber_that_text_can_express_has_a_key() {
        Set<String> expected = Arrays.stream(SubscriberOptions.class.getRecordComponents())
                .map(component ->
                        component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .filter(name -> !NOT_TEXT.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(SubscriptionKeys.options().stream()
                        .map(option -> option.key().name()))
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void a_worker_that_is_named_is_still_one_of_a_kind() {
        assertThat(SubscriptionKeys.WORKER.type().read("a".repeat(150))).hasSize(150);
        assertThatThrownBy(() -> SubscriptionKeys.WORKER.type().read("a".repeat(151)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected 1 to 150 characters");
        PluginConfig config = ResolvedConfig.of(
                        SpreamConfig.of(Map.of("worker", "blue")),
                        List.of(new ConfigSection("", SubscriptionKeys.all(), true)))
                .section("");
        Optional<WorkerId> first = SubscriptionKeys.options(config).build().worker();
        assertThat(first.orElseThrow().value()).startsWith("blue-");
        assertThat(SubscriptionKeys.options(config).build().worker()).isNotEqualTo(first);
    }

    private static <T> SubscriberOptions set(OptionKey<SubscriberOptions.Builder, T> option, String text) {
        return set(option, option.key().type().read(text));
    }

    private static <T> SubscriberOptions set(OptionKey<SubscriberOptions.Builder, T> option, T value) {
        SubscriberOptions.Builder options = SubscriberOptions.builder()
                .finishedRetention(Duration.ZERO) // one bounds the other
                .proofRetention(SubscriberOptions.MAX_PROOF_RETENTION);
        option.setter().accept(options, value);
        return options.build();
    }

    /** The record's own check, with a value that the type would refuse before. */
    @SuppressWarnings("unchecked")
    private static boolean refusesBeyond(OptionKey<SubscriberOptions.Builder, ?> option, String highest) {
        Object value = option.key().type().read(highest);
        try {
            switch (value) {
                case Integer number -> set((OptionKey<SubscriberOptions.Builder, Integer>) option, number + 1);
                case Duration duration ->
                    set((OptionKey<SubscriberOptions.Builder, Duration>) option, duration.plusNanos(1));
                default -> throw new AssertionError("a range of " + value);
            }
            return false;
        } catch (IllegalArgumentException e) {
            return true;
        }
    }
}
