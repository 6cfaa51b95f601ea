package dev.spream.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class ReasonCodeTest {
    private static final Map<String, Integer> STATUSES = Map.ofEntries(
            Map.entry("TIMEOUT", 504),
            Map.entry("UNAVAILABLE", 503),
            Map.entry("RATE_LIMITED", 429),
            Map.entry("UNAUTHORIZED", 502),
            Map.entry("INVALID_REQUEST", 400),
            Map.entry("REJECTED", 422),
            Map.entry("INTERNAL_ERROR", 500),
            Map.entry("OUTCOME_UNKNOWN", 504),
            Map.entry("EXPIRED", 410),
            Map.entry("TOO_OLD", 504),
            Map.entry("IDEMPOTENCY_CONFLICT", 409),
            Map.entry("ABORTED_BY_HAND", 409));

    @Test
    void every_code_has_the_http_status_of_the_table() {
        assertThat(Arrays.stream(ReasonCode.class.getFields())
                        .filter(field -> Modifier.isStatic(field.getModifiers()))
                        .map(field -> {
                            try {
                                return (ReasonCode) field.get(null);
                            } catch (IllegalAccessException e) {
                                throw new AssertionError(e);
                            }
                        })
                        .collect(Collectors.toMap(ReasonCode::toString, ReasonCode::httpStatus)))
                .isEqualTo(STATUSES);
    }

    @Test
    void a_word_of_a_senders_own_is_an_internal_error_to_clients() {
        assertThat(new ReasonCode("BROKER_CLOSED_2").httpStatus()).isEqualTo(500);
        assertThat(LedgerResult.failed(new ReasonCode("BROKER_CLOSED_2")).httpStatus())
                .isEqualTo(500);
    }

    @Test
    void only_words_in_capitals_are_codes() {
        for (String wrong : new String[] {"", "timeout", "9TH", "_A", "A-B", "A B", "A".repeat(65)}) {
            assertThatThrownBy(() -> new ReasonCode(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(new ReasonCode("A".repeat(64)).value()).hasSize(64);
    }
}
