package dev.spream.sink.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.NonRetryableException;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TopicTemplateTest {
    private static final Optional<String> DATABASE = Optional.of("projects/p/instances/i/databases/bank");
    private static final Optional<String> STREAM = Optional.of("Changes");

    @Test
    void names_take_the_place_of_placeholders() {
        TopicTemplate template =
                TopicTemplate.parse("{database}.{stream}.{schema}.{table}").of(DATABASE, STREAM);
        assertThat(template.topic("sales.Orders")).isEqualTo("bank.Changes.sales.sales.Orders");
        assertThat(template.topic("Orders")).isEqualTo("bank.Changes..Orders");
        assertThat(template.onlyTopic()).isEmpty();
        assertThat(TopicTemplate.parse("{database}").of(DATABASE, STREAM).onlyTopic())
                .contains("bank");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", ".", "..", "a{", "a}b", "ord\u00e9rs", "{table}/x"})
    void a_topic_that_kafka_cannot_have_is_refused(String text) {
        assertThatThrownBy(() -> TopicTemplate.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(TopicName.RULE);
        assertThatThrownBy(() -> TopicTemplate.parse("x".repeat(250))).hasMessage(TopicName.RULE);
    }

    @Test
    void an_unknown_placeholder_is_refused_with_the_known_ones() {
        assertThatThrownBy(() -> TopicTemplate.parse("a.{tabel}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("{tabel} is unknown; known are {table}, {schema}, {database}, {stream}");
    }

    @Test
    void a_name_that_is_not_known_or_does_not_fit_is_refused_before_the_first_change() {
        assertThatThrownBy(() -> TopicTemplate.parse("{stream}").of(DATABASE, Optional.empty()))
                .hasMessage("topic: {stream} is not known; configure source-stream");
        assertThatThrownBy(() -> TopicTemplate.parse("{database}").of(Optional.of("my bank"), STREAM))
                .hasMessage(TopicName.RULE);
    }

    @Test
    void a_table_that_makes_no_topic_fails_for_good_and_is_named() {
        TopicTemplate template = TopicTemplate.parse("{table}");
        assertThatThrownBy(() -> template.topic("T" + "x".repeat(249)))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("the one of table Tx")
                .hasMessageContaining(TopicName.RULE);
        assertThatThrownBy(() -> template.topic("Bücher")).isInstanceOf(NonRetryableException.class);
    }
}
