package dev.spream.sink.pubsub;

import static dev.spream.sink.pubsub.PubsubChanges.change;
import static dev.spream.sink.pubsub.PubsubChanges.label;
import static dev.spream.sink.pubsub.PubsubChanges.labels;
import static dev.spream.sink.pubsub.PubsubChanges.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PubsubMessage;
import dev.spream.sink.pubsub.PublisherServer.Reply;
import dev.spream.testkit.consume.RecordingBatch;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls beside each other, interrupted ones, and the end. */
final class PubsubSinkCallsTest {
    private PublisherServer server;
    private PubsubSink sink;

    @BeforeEach
    void start() throws IOException {
        server = PublisherServer.start();
        sink = new PubsubSink(TopicClient.open(options(server)), ChangeMessages.OF_RECORDS);
    }

    @AfterEach
    void stop() {
        sink.close();
        server.close();
    }

    private void reopen(Duration timeout, int maxRequests, int maxMessages) throws IOException {
        sink.close();
        sink = new PubsubSink(
                TopicClient.open(options(server, timeout, maxRequests, maxMessages)), ChangeMessages.OF_RECORDS);
    }

    private static Predicate<PublishRequest> has(String label) {
        return request -> request.getMessagesList().stream()
                .anyMatch(message -> label(message).equals(label));
    }

    private Future<?> inBackground(RecordingBatch batch) {
        FutureTask<Void> call = new FutureTask<>(() -> {
            sink.consume(batch);
            return null;
        });
        Thread.ofVirtual().start(call);
        return call;
    }

    @Test
    void calls_share_the_slots_and_none_waits_for_ever() throws Exception {
        reopen(Duration.ofSeconds(20), 2, 1);
        List<Future<?>> calls = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            calls.add(inBackground(new RecordingBatch(
                    change(1, "a" + i), change(2, "b" + i), change(3, "a" + i, "c" + i), change(4, "b" + i))));
        }
        for (Future<?> call : calls) {
            call.get(20, TimeUnit.SECONDS);
        }
        assertThat(server.mostOnTheirWay()).isLessThanOrEqualTo(2);
        Set<String> identities = new HashSet<>();
        for (PubsubMessage message : server.taken()) {
            identities.add(message.getOrderingKey() + message.getAttributesOrThrow("identity"));
        }
        assertThat(identities).hasSize(50);
        assertThat(server.taken()).hasSize(50);
    }

    @Test
    void an_interrupt_ends_the_call_and_gives_its_slots_back() throws Exception {
        reopen(Duration.ofSeconds(60), 1, 1);
        server.script(request -> has("a1").test(request) ? new Reply.Hold() : new Reply.Confirm());
        RecordingBatch batch = new RecordingBatch(change(1, "a"), change(2, "b"));
        FutureTask<Throwable> call = new FutureTask<>(() -> {
            try {
                sink.consume(batch);
                return new AssertionError("the call returned");
            } catch (InterruptedException e) {
                return e;
            }
        });
        Thread caller = Thread.ofVirtual().start(call);
        server.awaitRequests(1);
        caller.interrupt();
        assertThat(call.get(20, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
        assertThat(batch.settled()).isEmpty();
        sink.consume(new RecordingBatch(change(3, "b")));
        server.awaitCancelled(1);
        server.releaseHeld();
        assertThat(labels(server.taken())).containsExactly("b3");
    }

    @Test
    void closing_waits_for_what_is_on_its_way() throws Exception {
        server.script(request -> new Reply.Hold());
        RecordingBatch batch = new RecordingBatch(change(1, "a"));
        Future<?> call = inBackground(batch);
        server.awaitRequests(1);
        FutureTask<Void> closing = new FutureTask<>(sink::close, null);
        Thread closer = Thread.ofVirtual().start(closing);
        assertThat(closer.join(Duration.ofMillis(50))).isFalse();
        server.releaseHeld();
        closing.get(20, TimeUnit.SECONDS);
        call.get(20, TimeUnit.SECONDS);
        assertThat(batch.settled()).containsExactly(0);
    }

    @Test
    void closing_aborts_unanswered_requests_and_no_call_waits_forever() throws Exception {
        reopen(Duration.ofMinutes(10), 1, 1);
        server.script(request -> new Reply.Hold());
        RecordingBatch batch = new RecordingBatch(change(1, "a"));
        Future<?> call = inBackground(batch);
        server.awaitRequests(1);
        Thread closer = Thread.ofVirtual().start(sink::close);
        closer.interrupt(); // instead of its limit
        call.get(20, TimeUnit.SECONDS);
        assertThat(batch.failure(0)).hasMessageContaining("the sink was closed before Pub/Sub responded");
        assertThat(closer.join(Duration.ofSeconds(20))).isTrue();
        assertThatThrownBy(() -> sink.consume(new RecordingBatch(change(2, "a"))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
        sink.close();
    }
}
