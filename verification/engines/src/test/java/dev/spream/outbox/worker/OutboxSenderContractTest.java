package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.testkit.ContractRun;
import dev.spream.testkit.outbox.OutboxSenderContract;
import dev.spream.testkit.outbox.OutboxSenderFixture;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The contract of senders over one that keeps it, and over ones that do not. */
final class OutboxSenderContractTest {

    @Nested
    final class OfAnIdempotentReceiver extends OutboxSenderContract {
        @Override
        protected OutboxSenderFixture createFixture() {
            return new InMemoryReceiver(Guarantee.IDEMPOTENT);
        }
    }

    @Nested
    final class OfAReceiverThatCanBeAsked extends OutboxSenderContract {
        @Override
        protected OutboxSenderFixture createFixture() {
            return new InMemoryReceiver(Guarantee.QUERYABLE);
        }
    }

    @Test
    void a_sender_that_keeps_the_contract_fails_nothing() {
        assertThat(contract(UnaryOperator.identity()).failures()).isEmpty();
    }

    @Test
    void a_sender_that_says_that_everything_succeeded_fails() {
        contract(target -> sending(target, (entry, timeout) -> {
                    return new SendOutcome.Succeeded(LedgerResult.succeeded());
                }))
                .requireFailures(
                        "what_the_receiver_refuses_has_failed_for_good",
                        "what_is_not_answered_in_time_is_unknown",
                        "what_does_not_reach_the_receiver_is_to_be_sent_again",
                        "what_the_receiver_accepts_has_succeeded_and_arrived_once_under_its_key",
                        "many_are_sent_at_a_time");
    }

    @Test
    void a_sender_that_takes_no_answer_for_a_refusal_or_a_failure_fails() {
        assertThat(contract(target -> sending(target, (entry, timeout) -> {
                            SendOutcome outcome = target.send(entry, timeout);
                            return outcome instanceof SendOutcome.Unknown
                                    ? new SendOutcome.Retryable(ReasonCode.TIMEOUT, "no answer")
                                    : outcome;
                        }))
                        .failures())
                .containsExactly("what_is_not_answered_in_time_is_unknown");
    }

    @Test
    void a_sender_that_gives_each_attempt_another_name_or_all_generations_one_fails() {
        assertThat(contract(target -> sending(target, (entry, timeout) -> {
                            return target.send(named(entry, entry.idempotencyKey() + System.nanoTime(), 1), timeout);
                        }))
                        .failures())
                .containsExactly("an_entry_that_is_sent_again_arrives_under_the_same_name");
        assertThat(contract(target -> sending(target, (entry, timeout) -> {
                            return target.send(named(entry, entry.idempotencyKey(), 1), timeout);
                        }))
                        .failures())
                .containsExactly("other_keys_and_later_generations_arrive_under_other_names");
    }

    @Test
    void a_sender_that_sends_twice_or_shows_payloads_fails() {
        contract(target -> sending(target, (entry, timeout) -> {
                    target.send(entry, timeout);
                    return target.send(entry, timeout);
                }))
                .requireFailures("what_the_receiver_accepts_has_succeeded_and_arrived_once_under_its_key");
        contract(target -> sending(target, (entry, timeout) -> {
                    return target.send(entry, timeout) instanceof SendOutcome.Permanent refused
                            ? new SendOutcome.Permanent(refused.reason(), entry.payload())
                            : new SendOutcome.Succeeded(LedgerResult.succeeded());
                }))
                .requireFailures("what_the_receiver_refuses_has_failed_for_good");
    }

    private static ContractRun contract(UnaryOperator<OutboxSender> spoil) {
        return new ContractRun(OutboxSenderContract.class, () -> new SpoiltContract(spoil), Duration.ofSeconds(30));
    }

    private static OutboxEntry named(OutboxEntry entry, String key, int generation) {
        return new OutboxEntry(
                entry.id(),
                key,
                generation,
                entry.requestDigest(),
                entry.payload(),
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty(),
                entry.createdAt(),
                Optional.empty());
    }

    private interface Sending {
        SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception;
    }

    private static OutboxSender sending(OutboxSender target, Sending sending) {
        return new OutboxSender() {
            @Override
            public Guarantee guarantee() {
                return target.guarantee();
            }

            @Override
            public SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception {
                return sending.send(entry, timeout);
            }

            @Override
            public QueryOutcome query(OutboxEntry entry, Duration timeout) throws Exception {
                return target.query(entry, timeout);
            }
        };
    }

    private static final class SpoiltContract extends OutboxSenderContract {
        private final UnaryOperator<OutboxSender> spoil;

        SpoiltContract(UnaryOperator<OutboxSender> spoil) {
            this.spoil = spoil;
        }

        @Override
        protected OutboxSenderFixture createFixture() {
            InMemoryReceiver receiver = new InMemoryReceiver(Guarantee.IDEMPOTENT);
            return new SpoiltFixture(receiver, spoil.apply(receiver));
        }
    }

    private record SpoiltFixture(OutboxSenderFixture target, OutboxSender sender) implements OutboxSenderFixture {
        @Override
        public void receiver(Receiver behaviour) {
            target.receiver(behaviour);
        }

        @Override
        public List<String> received() {
            return target.received();
        }

        @Override
        public void close() {
            target.close();
        }
    }
}
