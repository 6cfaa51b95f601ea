package dev.spream.sink.pubsub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SubscriptionNamesTest {

    @Test
    void a_subscription_is_called_like_its_projection_unless_something_else_is_said() {
        assertThat(SubscriptionNames.DEFAULT.of("read_model")).isEqualTo("read_model");
        assertThat(SubscriptionNames.parse("sub-1").of("read_model")).isEqualTo("sub-1");
        SubscriptionNames some = SubscriptionNames.parse("search = sub-2, sub-1");
        assertThat(some.of("search")).isEqualTo("sub-2");
        assertThat(some.of("read_model")).isEqualTo("sub-1");
    }

    @Test
    void a_projection_whose_name_can_be_none_of_a_subscription_needs_another() {
        assertThatThrownBy(() -> SubscriptionNames.DEFAULT.of("v"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'v' is not a valid name of a subscription");
        assertThat(SubscriptionNames.parse("v=view").of("v")).isEqualTo("view");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "sub-1,sub-2", "x=sub-1,x=sub-2", "x=", "", "googsub", "projects/p/subscriptions/s"})
    void other_texts_are_refused(String text) {
        assertThatThrownBy(() -> SubscriptionNames.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"sub-1", "x=sub-1", "sub-3,x=sub-1,y=sub-2"})
    void a_written_name_is_read_back(String text) {
        assertThat(SubscriptionNames.parse(text)).hasToString(text);
    }
}
