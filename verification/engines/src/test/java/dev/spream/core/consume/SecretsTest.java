package dev.spream.core.consume;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.Secrets;
import dev.spream.core.StorageException;
import dev.spream.testkit.consume.Changes;
import dev.spream.testkit.consume.DeadLetters;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class SecretsTest {

    @Test
    void a_secret_is_struck_wherever_it_stands_and_a_longer_one_first() {
        Secrets.add("h3nter-xyzzy");
        Secrets.add("h3nter-xyzzy-long");
        Secrets.add("h3"); // in too many words
        assertThat(Secrets.mask("ah3nter-xyzzyb h3nter-xyzzy-long h3")).isEqualTo("a********b ******** h3");
    }

    @Test
    void no_message_of_ours_has_a_secret_that_another_library_told() {
        Secrets.add("pl3asestrike");
        Exception foreign = new IllegalStateException("no access with pl3asestrike");
        assertThat(new StorageException("connecting failed: " + foreign.getMessage(), true, foreign))
                .hasMessage("connecting failed: no access with ********");
    }

    @Test
    void a_letter_keeps_of_a_foreign_message_neither_secrets_nor_the_row_that_was_refused() {
        Secrets.add("pl3asestrike");
        Exception foreign = new IllegalStateException("""
                ERROR: null value in column "paid" (pl3asestrike)
                  Detail: Failing row contains (17, Jane Doe).""");
        DeadLetter letter = DeadLetters.failed(Changes.of(1, "A"));
        DeliveryFailure failure = letter.failure().orElseThrow();
        StoredDeadLetter stored = StoredDeadLetter.of(new DeadLetter(
                letter.reason(),
                letter.partition(),
                letter.change(),
                letter.at(),
                Optional.of(new DeliveryFailure(
                        failure.partition(),
                        failure.change(),
                        failure.attempt(),
                        failure.firstFailureAt(),
                        failure.failedAt(),
                        foreign))));
        assertThat(stored.failure().orElseThrow().errorMessage())
                .isEqualTo("ERROR: null value in column \"paid\" (********)");
    }
}
