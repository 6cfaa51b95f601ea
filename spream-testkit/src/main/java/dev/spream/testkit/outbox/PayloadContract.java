package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.ANN;
import static dev.spream.testkit.outbox.OutboxScenario.json;
import static dev.spream.testkit.outbox.OutboxScenario.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxMessage;
import java.util.List;
import org.assertj.core.util.Throwables;
import org.junit.jupiter.api.Test;

/** The contract of payloads: they are JSON texts; any other text is refused and nothing is changed. */
interface PayloadContract<T> extends OutboxScenario.Stage<T> {

    @Test
    default void payloads_come_back_equal_as_json() {
        List<String> payloads = List.of(
                "null",
                "true",
                "0",
                "-12.5",
                "\"text\"",
                "\"\u65e5\u672c\ud83d\ude00'\"",
                "[]",
                "{}",
                "[1,[2,[3,{\"a\":[]}]]]",
                "{\"a\":null}",
                "[" + "1,".repeat(9_999) + "1]",
                "\"" + "x".repeat(1_000_000) + "\"",
                "[".repeat(100) + "]".repeat(100));
        for (int i = 0; i < payloads.size(); i++) {
            given().enqueued(OutboxMessage.of("key " + i, payloads.get(i)));
            OutboxClaim claim = given().claim(ANN);
            assertThat(json(claim.entry().payload()).equals(payloads.get(i)))
                    .as("payload %d", i)
                    .isTrue();
        }
    }

    @Test
    default void space_around_a_payload_means_nothing() {
        given().enqueued(OutboxMessage.of("a", " \t\r\n{ \"a\" : [ 1 , 2 ] } \n"));
        assertThat(json(given().claim(ANN).entry().payload())).isEqualTo("{\"a\":[1,2]}");
    }

    @Test
    default void escapes_in_a_payload_mean_their_characters() {
        given().enqueued(OutboxMessage.of("a", "\"\\u0041\\ud83d\\ude00\\/\""));
        assertThat(given().claim(ANN).entry().payload()).isIn("\"A\ud83d\ude00/\"", "\"\\u0041\\ud83d\\ude00\\/\"");
    }

    @Test
    default void what_is_no_json_text_is_refused() {
        for (String payload : List.of(
                "",
                " ",
                "nope",
                "{",
                "{\"a\":}",
                "{\"a\" 1}",
                "{a:1}",
                "[1,]",
                "[1 2]",
                "'a'",
                "\"a",
                "\"\\x\"",
                "\"\\u12\"",
                "{} {}",
                "tru",
                "+1",
                ".5",
                "1.",
                "1e",
                "--1")) {
            T transaction = given().fixture().begin();
            assertThatThrownBy(() -> given().outbox().enqueue(transaction, OutboxMessage.of("a", payload)))
                    .as("'%s'", payload)
                    .isInstanceOf(IllegalArgumentException.class);
            given().fixture().rollback(transaction);
        }
        assertThat(given().ledger().find("a")).isEmpty();
        assertThat(given().claims(ANN)).isEmpty();
    }

    @Test
    default void messages_about_a_broken_payload_show_nothing_of_it() {
        T transaction = given().fixture().begin();
        assertThatThrownBy(() ->
                        given().outbox().enqueue(transaction, OutboxMessage.of("a", "{\"card\":\"4111-1111\" oops}")))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(failure ->
                        assertThat(Throwables.getStackTrace(failure)).doesNotContain("\"card\"", "4111-1111", "oops"));
        given().fixture().rollback(transaction);
    }

    @Test
    default void of_several_messages_none_is_enqueued_if_one_is_no_json_text() {
        T transaction = given().fixture().begin();
        List<OutboxMessage> messages = List.of(message("a"), OutboxMessage.of("b", "{"), message("c"));
        assertThatThrownBy(() -> given().outbox().enqueueAll(transaction, messages))
                .isInstanceOf(IllegalArgumentException.class);
        given().fixture().rollback(transaction);
        assertThat(given().claims(ANN)).isEmpty();
        assertThat(given().ledger().find("a")).isEmpty();
    }
}
