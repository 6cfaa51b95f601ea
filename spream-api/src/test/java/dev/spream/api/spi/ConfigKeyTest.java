package dev.spream.api.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigKeyTest {
    private static final ConfigKey<String> KEY = ConfigKey.of("key", ConfigType.text(), "A key of this test.");

    @ParameterizedTest
    @ValueSource(
            strings = {"", "Key", "max_inflight", "a..b", ".a", "a.", "-a", "a-", "a--b", "a.-b", "1st", "a b", "\u00e9"
            })
    void a_name_is_lower_case_words_with_hyphens_or_dots(String name) {
        assertThatThrownBy(() -> ConfigKey.of(name, ConfigType.text(), ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'%s' is not a valid key name: use lower-case words separated by hyphens or dots", name);
    }

    @Test
    void the_default_of_a_key_has_a_text() {
        assertThat(KEY.defaultText()).isEmpty();
        assertThat(KEY.withDefault("x").defaultText()).contains("x");
        assertThat(KEY.withFallback("a.b").defaultText()).contains("the value of a.b");
        assertThat(KEY.withFallback("a.b").withDefault("x").defaultText()).contains("the value of a.b, else x");
        assertThat(KEY.withDefault("x").withDefaultMeaning("whatever fits").defaultText())
                .contains("whatever fits");
    }

    @Test
    void a_default_takes_away_that_a_key_is_required_and_the_other_way_round() {
        assertThat(KEY.required().withDefault("x").isRequired()).isFalse();
        assertThat(KEY.withDefault("x").required().defaultValue()).isEmpty();
    }

    @Test
    void nothing_gets_lost_while_a_key_is_put_together() {
        var key = KEY.secret().withFallback("a.b").withDefaultMeaning("words").required();

        assertThat(key.isSecret()).isTrue();
        assertThat(key.isRequired()).isTrue();
        assertThat(key.fallback()).contains("a.b");
        assertThat(key.defaultMeaning()).contains("words");
        assertThat(KEY.isSecret()).isFalse();
    }

    @Test
    void declaring_a_default_that_could_not_be_configured_fails() {
        var count = ConfigKey.of("count", ConfigType.integer(1, 10), "");
        var names = ConfigKey.of("names", ConfigType.list(), "");
        var time = ConfigKey.of("time", ConfigType.duration(Duration.ZERO, Duration.ofDays(1)), "");

        assertThatThrownBy(() -> count.withDefault(11))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expected integer, 1 to 10");
        assertThatThrownBy(() -> names.withDefault(List.of("a,b", " c")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the default of names is written as 'a,b, c', which reads as 'a,b,c'");
        assertThatThrownBy(() -> time.withDefault(Duration.ofNanos(1_500_000)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
