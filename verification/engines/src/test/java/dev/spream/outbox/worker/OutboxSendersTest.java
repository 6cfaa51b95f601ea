package dev.spream.outbox.worker;

import static dev.spream.outbox.worker.ScriptedSender.DOWN;
import static dev.spream.outbox.worker.ScriptedSender.OK;
import static dev.spream.outbox.worker.WorkerBench.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.worker.RecordingOutboxListener.Event;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several senders in one worker, and entries that wait for their time. */
@Timeout(60)
final class OutboxSendersTest {
    private final WorkerBench bench = new WorkerBench();
    private final ScriptedSender post = ScriptedSender.idempotent(OK);

    @AfterEach
    void stop() {
        bench.close();
    }

    private void enqueue(String destination, int entries) {
        IntStream.rangeClosed(1, entries)
                .forEach(n -> bench.enqueue(OutboxMessage.builder(destination + "-" + n, "{}")
                        .destination(destination)
                        .build()));
    }

    private void enqueueOrdered(String key, String destination) {
        bench.enqueue(OutboxMessage.builder(key, "{}")
                .destination(destination)
                .orderingKey("customer")
                .build());
    }

    @Test
    void a_receiver_that_is_down_holds_up_no_entries_of_another_and_gets_its_own_when_it_is_back() {
        enqueue("mail", 50);
        enqueueOrdered("mail first", "mail");
        ScriptedSender mail = ScriptedSender.idempotent(DOWN, OK);
        bench.start(
                Map.of("mail", mail, "post", post),
                options -> options.concurrency(2).breakerFailures(3).breakerPause(Duration.ofSeconds(10)));
        await(() -> bench.events.all(Event.BreakerOpened.class).findAny().isPresent());
        enqueue("post", 50);
        enqueueOrdered("post first", "post");
        enqueueOrdered("post second", "post");
        bench.advanceUntil(
                Duration.ofMillis(1), Duration.ofSeconds(9), () -> bench.count(OutboxStatus.SUCCEEDED) == 52);
        assertThat(post.sent).hasSize(52).containsSubsequence("post first", "post second");
        assertThat(mail.sent).hasSizeLessThan(10);

        bench.advanceUntil(
                Duration.ofSeconds(1), Duration.ofMinutes(20), () -> bench.count(OutboxStatus.SUCCEEDED) == 103);
    }

    @Test
    void a_receiver_that_hangs_holds_its_own_places_alone() {
        CountDownLatch back = new CountDownLatch(1);
        ScriptedSender mail = ScriptedSender.idempotent((entry, call) -> {
            back.await();
            return OK;
        });
        bench.start(Map.of("mail", mail, "post", post), options -> options.concurrency(2));
        enqueue("mail", 10);
        await(() -> mail.sending() == 2);
        enqueue("post", 20);
        await(() -> bench.count(OutboxStatus.SUCCEEDED) == 20);
        assertThat(mail.mostSending()).isEqualTo(2);
        assertThat(bench.count(OutboxStatus.SENDING))
                .as("claimed for the hanging receiver")
                .isEqualTo(2);
        back.countDown();
        await(() -> bench.count(OutboxStatus.SUCCEEDED) == 30);
    }

    @Test
    void an_entry_without_a_sender_stays_pending_until_a_worker_has_one() {
        bench.start(Map.of("post", post), options -> options);
        enqueue("mail", 1);
        enqueueOrdered("mail first", "mail");
        bench.enqueue("plain");
        enqueue("post", 1);
        await(() -> bench.count(OutboxStatus.SUCCEEDED) == 1);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.count(OutboxStatus.PENDING)).isEqualTo(3);
        assertThat(post.sent).containsExactly("post-1");

        ScriptedSender mail = ScriptedSender.idempotent(OK);
        bench.start(Map.of("mail", mail, "post", post), options -> options);
        bench.start(ScriptedSender.idempotent(OK));
        bench.advanceUntil(Duration.ofSeconds(1), Duration.ofMinutes(10), () -> bench.count(OutboxStatus.PENDING) <= 1);
        await(() -> mail.sent.contains("mail-1"));
    }

    @Test
    void a_delayed_entry_is_sent_when_its_time_has_come_and_not_at_the_next_poll() {
        bench.start(post, options -> options.pollInterval(Duration.ofHours(1)));
        bench.enqueue("now");
        bench.enqueue(OutboxMessage.builder("later", "{}")
                .afterDelay(Duration.ofSeconds(30))
                .build());
        await(() -> post.sent.contains("now"));
        bench.time.advance(Duration.ofSeconds(29));
        assertThat(post.sent).containsExactly("now");
        bench.advanceUntil(Duration.ofMillis(100), Duration.ofSeconds(3), () -> post.sent.contains("later"));
    }

    @Test
    void a_delayed_entry_holds_the_later_ones_of_its_ordering_key() {
        bench.start(post, options -> options.pollInterval(Duration.ofHours(1)));
        bench.enqueue(OutboxMessage.builder("first", "{}")
                .orderingKey("customer")
                .afterDelay(Duration.ofSeconds(30))
                .build());
        bench.enqueue("second", "customer");
        bench.enqueue("another", "other customer");
        bench.advanceUntil(Duration.ofMillis(1), Duration.ofSeconds(5), () -> post.sent.contains("another"));
        assertThat(post.sent).containsExactly("another");
        bench.advanceUntil(Duration.ofSeconds(1), Duration.ofSeconds(40), () -> post.sent.size() == 3);
        assertThat(post.sent).containsExactly("another", "first", "second");
    }

    @Test
    void a_sender_begins_no_more_attempts_than_its_rate() {
        bench.start(post, options -> options.rate(2).concurrency(10));
        IntStream.range(0, 8).forEach(n -> bench.enqueue("entry-" + n));
        await(() -> post.sent.size() == 1);
        for (int half = 2; half <= 5; half++) {
            int expected = half;
            bench.time.advance(Duration.ofMillis(500));
            await(() -> post.sent.size() >= expected);
            assertThat(post.sent).hasSize(expected);
        }
    }

    @Test
    void a_destination_has_one_sender_and_a_worker_at_least_one() {
        OutboxWorker.Builder worker = OutboxWorker.builder(bench.memory.store());
        assertThatThrownBy(worker::build).hasMessageContaining("no sender");
        worker.sender("mail", post);
        assertThatThrownBy(() -> worker.sender("mail", post)).hasMessageContaining("'mail' has a sender already");
        assertThatThrownBy(() -> worker.sender("", post)).hasMessageContaining("destination ''");
    }
}
