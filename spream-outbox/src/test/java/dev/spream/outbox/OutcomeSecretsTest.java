package dev.spream.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.Secrets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class OutcomeSecretsTest {

    @Test
    void messages_of_a_sender_have_their_secrets_masked() {
        Secrets.add("pl3asestrike");
        ReasonCode reason = ReasonCode.UNAUTHORIZED;
        String message = "the receiver refused pl3asestrike";
        assertThat(Stream.of(
                        new SendOutcome.Retryable(reason, message).message(),
                        new SendOutcome.Permanent(reason, message).message(),
                        new SendOutcome.Unknown(reason, message).message(),
                        new QueryOutcome.Refused(reason, message).message(),
                        new QueryOutcome.StillUnknown(reason, message).message()))
                .containsOnly("the receiver refused ********");
    }
}
