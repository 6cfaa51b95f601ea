package dev.spream.testkit.outbox;

import static dev.spream.testkit.outbox.OutboxScenario.resultOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxSender.Guarantee;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.testkit.outbox.OutboxSenderFixture.Receiver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The contract of {@link OutboxSender} as tests, to be extended in the tests of a sender; every test gets a fixture of
 * its own.
 */
@Timeout(60)
public abstract class OutboxSenderContract {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(500);

    private OutboxSenderFixture fixture;

    /** Returns a fixture whose receiver has not received any request. */
    protected abstract OutboxSenderFixture createFixture() throws Exception;

    @BeforeEach
    final void open() throws Exception {
        fixture = createFixture();
    }

    @AfterEach
    final void close() {
        fixture.close();
    }

    @Test
    public final void it_declares_one_guarantee() {
        assertThat(sender().guarantee()).isNotNull().isEqualTo(sender().guarantee());
    }

    @Test
    public final void what_the_receiver_accepts_has_succeeded_and_arrived_once_under_its_key() {
        assertThat(send(entry("a", 1), LONG)).isInstanceOf(SendOutcome.Succeeded.class);
        assertThat(fixture.received()).hasSize(1).first().asString().contains("a");
    }

    @Test
    public final void an_entry_that_is_sent_again_arrives_under_the_same_name() {
        send(entry("a", 1), LONG);
        send(entry("a", 1), LONG);
        assertThat(fixture.received()).hasSize(2);
        assertThat(fixture.received().getFirst()).isEqualTo(fixture.received().getLast());
    }

    @Test
    public final void other_keys_and_later_generations_arrive_under_other_names() {
        send(entry("a", 1), LONG);
        send(entry("b", 1), LONG);
        send(entry("a", 2), LONG);
        assertThat(fixture.received()).hasSize(3).doesNotHaveDuplicates();
    }

    @Test
    public final void what_the_receiver_refuses_has_failed_for_good() {
        fixture.receiver(Receiver.REFUSES);
        SendOutcome outcome = send(entry("a", 1), LONG);
        assertThat(outcome).isInstanceOf(SendOutcome.Permanent.class);
        assertThat(((SendOutcome.Permanent) outcome).message()).doesNotContain("secret");
    }

    @Test
    public final void what_does_not_reach_the_receiver_is_to_be_sent_again() {
        fixture.receiver(Receiver.UNREACHABLE);
        assertThat(send(entry("a", 1), Duration.ofSeconds(5)))
                .isInstanceOfAny(SendOutcome.Retryable.class, SendOutcome.Unknown.class);
        fixture.receiver(Receiver.ACCEPTS);
        assertThat(send(entry("a", 1), LONG)).isInstanceOf(SendOutcome.Succeeded.class);
    }

    @Test
    public final void what_is_not_answered_in_time_is_unknown() throws Exception {
        fixture.receiver(Receiver.HANGS);
        SendOutcome outcome = sendFor(SHORT);
        for (Duration time = SHORT; reachedNothing(outcome); time = time.multipliedBy(2)) {
            outcome = sendFor(time);
        }
        assertThat(outcome).isInstanceOf(SendOutcome.Unknown.class);
    }

    @Test
    public final void an_interrupt_ends_a_call_and_its_outcome_is_unknown() throws Exception {
        fixture.receiver(Receiver.HANGS);
        FutureTask<SendOutcome> call = new FutureTask<>(() -> send(entry("a", 1), Duration.ofMinutes(5)));
        Thread thread = Thread.ofVirtual().start(call);
        while (fixture.received().isEmpty() && !call.isDone()) {
            endsWithin(call, Duration.ofMillis(1));
        }
        thread.interrupt();
        assertThat(resultOf(call)).isInstanceOf(SendOutcome.Unknown.class);
    }

    /** Returns whether the call timed out before the request was sent, which happens on a busy machine. */
    private boolean reachedNothing(SendOutcome outcome) {
        return outcome instanceof SendOutcome.Retryable && fixture.received().isEmpty();
    }

    /** Sends with that timeout and then interrupts the call, as a worker does. */
    private SendOutcome sendFor(Duration timeout) throws Exception {
        FutureTask<SendOutcome> call = new FutureTask<>(() -> send(entry("a", 1), timeout));
        Thread thread = Thread.ofVirtual().start(call);
        if (!endsWithin(call, timeout.plusMillis(500))) {
            thread.interrupt();
        }
        return resultOf(call);
    }

    private static boolean endsWithin(FutureTask<?> call, Duration time) throws Exception {
        try {
            call.get(time.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        }
    }

    @Test
    public final void many_are_sent_at_a_time() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<SendOutcome>> calls = IntStream.range(0, 20)
                    .<Callable<SendOutcome>>mapToObj(i -> () -> send(entry("key-" + i, 1), LONG))
                    .toList();
            assertThat(threads.invokeAll(calls).stream().map(OutboxScenario::resultOf))
                    .hasOnlyElementsOfType(SendOutcome.Succeeded.class);
        }
        assertThat(fixture.received()).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    public final void a_receiver_that_can_be_queried_answers_for_accepted_and_unknown_entries() throws Exception {
        if (sender().guarantee() != Guarantee.QUERYABLE) {
            assertThatThrownBy(() -> sender().query(entry("a", 1), LONG))
                    .isInstanceOf(UnsupportedOperationException.class);
            return;
        }
        assertThat(sender().query(entry("a", 1), LONG)).isInstanceOf(QueryOutcome.NotThere.class);
        send(entry("a", 1), LONG);
        assertThat(sender().query(entry("a", 1), LONG)).isInstanceOf(QueryOutcome.Taken.class);
        assertThat(sender().query(entry("b", 1), LONG)).isInstanceOf(QueryOutcome.NotThere.class);
    }

    private OutboxSender sender() {
        return fixture.sender();
    }

    /** Returns the outcome of a call as a worker treats it: an exception means that the outcome is unknown. */
    private SendOutcome send(OutboxEntry entry, Duration timeout) {
        try {
            return sender().send(entry, timeout);
        } catch (Exception e) {
            return new SendOutcome.Unknown(ReasonCode.INTERNAL_ERROR, e.toString());
        }
    }

    private static OutboxEntry entry(String key, int generation) {
        return new OutboxEntry(
                7,
                key,
                generation,
                "digest",
                "{\"card\":\"secret\"}",
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty(),
                Instant.parse("2026-03-01T10:00:00Z"),
                Optional.empty());
    }
}
