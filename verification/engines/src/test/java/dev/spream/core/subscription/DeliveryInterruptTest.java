package dev.spream.core.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.consume.ErrorDecision;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.subscription.inflight.InflightRecord;
import dev.spream.testkit.subscription.ScriptedSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Tests of an interrupt that arrives while the error handler decides about a refused change. */
class DeliveryInterruptTest {
    private static final Instant POSITION = ScriptedSource.at(1);

    @Test
    void the_interrupt_of_a_cancel_that_comes_after_the_call_reaches_the_error_handler() throws InterruptedException {
        AtomicBoolean interrupted = new AtomicBoolean();
        OnePartition one = new OnePartition(
                SubscriberFixture.quick()
                        .errorHandler(failure -> {
                            interrupted.set(Thread.interrupted());
                            return new ErrorDecision.Skip();
                        })
                        .build(),
                (change, delivery) -> {
                    throw new IllegalStateException("refused");
                });
        InflightRecord record = new InflightRecord(1, ScriptedSource.newChange(1, "A", "tx"), Set.of(), 1);

        CancelledOnceAsked control = new CancelledOnceAsked();
        one.path.changes().deliver(one.partition, record, control);

        assertThat(interrupted).isTrue();
        assertThat(control.settled).containsExactly(record);
    }

    @Test
    void an_interrupt_that_the_error_handler_leaves_behind_does_not_stop_the_subscription()
            throws InterruptedException {
        RecordingConsumer consumer = new RecordingConsumer((change, delivery) -> {
            if (delivery.attempt() == 1) {
                throw new IllegalStateException("refused");
            }
        });
        OnePartition one = new OnePartition(
                SubscriberFixture.quick()
                        .errorHandler(failure -> {
                            Thread.currentThread().interrupt();
                            return new ErrorDecision.Retry(Duration.ofMillis(1));
                        })
                        .build(),
                consumer);

        one.dispatcher.submit(ScriptedSource.newChange(1, "A", "tx"), POSITION);

        assertThat(one.dispatcher.awaitSettled())
                .as("failed with %s", one.failure)
                .isTrue();
        assertThat(consumer.labels()).containsExactly("A1");
    }

    @Test
    void an_interrupt_that_the_error_handler_leaves_behind_does_not_hit_the_dead_letter_sink()
            throws InterruptedException {
        List<DeadLetter> letters = new CopyOnWriteArrayList<>();
        OnePartition one = new OnePartition(
                SubscriberFixture.quick()
                        .errorHandler(failure -> {
                            Thread.currentThread().interrupt();
                            return new ErrorDecision.DeadLetter();
                        })
                        .deadLetterSink(new InterruptibleSink(letters))
                        .build(),
                (change, delivery) -> {
                    throw new IllegalStateException("refused");
                });

        one.dispatcher.submit(ScriptedSource.newChange(1, "A", "tx"), POSITION);

        assertThat(one.dispatcher.awaitSettled())
                .as("failed with %s", one.failure)
                .isTrue();
        assertThat(letters).hasSize(1);
    }

    /** Does what a sink over a network does that is interrupted. */
    private record InterruptibleSink(List<DeadLetter> letters) implements DeadLetterSink {
        @Override
        public void accept(DeadLetter letter) throws InterruptedException {
            if (Thread.interrupted()) {
                throw new InterruptedException("the sink was interrupted");
            }
            letters.add(letter);
        }

        @Override
        public Set<RecordKey> parkedKeys() {
            return Set.of();
        }
    }

    /** Cancelled as soon as it has said that it is not, which is the worst moment. */
    private static final class CancelledOnceAsked implements DeliveryControl {
        private final List<InflightRecord> settled = new CopyOnWriteArrayList<>();
        private boolean cancelled;

        @Override
        public boolean isStopping() {
            return cancelled;
        }

        @Override
        public boolean isCancelled() {
            boolean answer = cancelled;
            if (!cancelled) {
                cancelled = true;
                Thread.currentThread().interrupt();
            }
            return answer;
        }

        @Override
        public void pause(Duration delay) {
            throw new AssertionError("nothing is retried");
        }

        @Override
        public void settle(InflightRecord record) {
            settled.add(record);
        }

        @Override
        public void putBack(InflightRecord record, boolean alone) {
            throw new AssertionError("not a batch");
        }

        @Override
        public void judge(InflightRecord record) {
            throw new AssertionError("not a batch");
        }
    }
}
