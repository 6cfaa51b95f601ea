package dev.spream.sink.pubsub;

import static dev.spream.sink.pubsub.PubsubChanges.change;
import static dev.spream.sink.pubsub.PubsubChanges.label;
import static dev.spream.sink.pubsub.PubsubChanges.labels;
import static dev.spream.sink.pubsub.PubsubChanges.labelsOf;
import static dev.spream.sink.pubsub.PubsubChanges.options;
import static dev.spream.sink.pubsub.PubsubChanges.withNote;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.pubsub.v1.PublishRequest;
import com.google.pubsub.v1.PubsubMessage;
import dev.spream.api.format.ChangeFormat;
import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.record.ChangeRecordJson;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.sink.pubsub.PublisherServer.Reply;
import dev.spream.testkit.consume.RecordingBatch;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the settlement of a batch's changes. */
final class PubsubSinkTest {
    private static final Duration SHORT = Duration.ofSeconds(2); // in which a request is answered on a busy machine

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

    /** Refuses requests that have this message, as often as said. */
    private void refuse(String label, Status status, int times) {
        List<PublishRequest> refused = new ArrayList<>();
        server.script(request -> {
            if (refused.size() < times && has(label).test(request)) {
                refused.add(request);
                return new Reply.Refuse(status);
            }
            return new Reply.Confirm();
        });
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
    void each_row_is_a_message_and_a_change_is_settled_when_all_are_confirmed() throws Exception {
        RecordingBatch batch = new RecordingBatch(change(1, "a", "b"), change(2, "a"), change(3, "c"));
        sink.consume(batch);
        assertThat(batch.settled()).containsExactly(0, 1, 2);
        assertThat(labels(server.taken())).containsExactlyInAnyOrder("a1", "b1", "a2", "c3");
        assertThat(labelsOf("a", server.taken())).containsExactly("a1", "a2");
    }

    @Test
    void the_changes_of_a_key_share_requests_up_to_their_limit() throws Exception {
        reopen(Duration.ofSeconds(20), 100, 2);
        sink.consume(new RecordingBatch(
                change(1, "a"), change(2, "a"), change(3, "b"), change(4, "a"), change(5, "a"), change(6, "a")));
        assertThat(server.requests())
                .extracting(request -> labels(request.getMessagesList()))
                .containsExactlyInAnyOrder(List.of("a1", "a2"), List.of("b3"), List.of("a4", "a5"), List.of("a6"));
        assertThat(labelsOf("a", server.taken())).containsExactly("a1", "a2", "a4", "a5", "a6");
    }

    @Test
    void a_change_that_the_format_refuses_holds_up_the_later_changes_of_its_keys() throws Exception {
        sink.close();
        sink = new PubsubSink(
                TopicClient.open(options(server)), new ChangeMessages(Optional.of(ChangeFormat.after(false))));
        DataChangeRecord inserted =
                ChangeRecordJson.readDataChange(change(2, "a").toJson().replace("\"UPDATE\"", "\"INSERT\""));
        DataChangeRecord elsewhere =
                ChangeRecordJson.readDataChange(change(3, "b").toJson().replace("\"UPDATE\"", "\"INSERT\""));
        RecordingBatch batch = new RecordingBatch(change(1, "a"), inserted, elsewhere);
        sink.consume(batch);
        assertThat(batch.settled()).isEmpty();
        assertThat(batch.failure(0))
                .isInstanceOf(NonRetryableException.class)
                .hasMessageContaining("after-partial=true");
        assertThat(server.taken())
                .extracting(PubsubMessage::getOrderingKey)
                .as("the later change of the key is not published before it")
                .containsExactly("Orders/{\"Id\":\"b\"}");
    }

    @Test
    void nothing_is_settled_before_it_is_confirmed() throws Exception {
        server.script(request -> has("b2").test(request) ? new Reply.Hold() : new Reply.Confirm());
        RecordingBatch batch = new RecordingBatch(change(1, "a"), change(2, "b"), change(3, "c"));
        Future<?> call = inBackground(batch);
        server.awaitRequests(3);
        assertThat(call.isDone()).isFalse();
        assertThat(batch.settled()).doesNotContain(1, 2);
        server.releaseHeld();
        call.get(20, TimeUnit.SECONDS);
        assertThat(batch.settled()).containsExactly(0, 1, 2);
    }

    @ParameterizedTest
    @EnumSource(
            value = Status.Code.class,
            names = {
                "UNAVAILABLE",
                "ABORTED",
                "INTERNAL",
                "RESOURCE_EXHAUSTED",
                "UNKNOWN",
                "DEADLINE_EXCEEDED",
                "CANCELLED"
            })
    void a_transient_failure_is_retried_at_once(Status.Code code) throws Exception {
        refuse("a1", Status.fromCode(code), 2);
        RecordingBatch batch = new RecordingBatch(change(1, "a"), change(2, "a"));
        sink.consume(batch);
        assertThat(batch.settled()).containsExactly(0, 1);
        assertThat(labels(server.taken())).containsExactly("a1", "a2");
        assertThat(server.requests()).hasSize(3);
    }

    @Test
    void an_answer_that_gets_lost_leads_to_a_message_that_comes_twice_in_order() throws Exception {
        List<PublishRequest> lost = new ArrayList<>();
        server.script(request -> {
            lost.add(request);
            return lost.size() == 1 ? new Reply.LoseAnswer(Status.UNAVAILABLE) : new Reply.Confirm();
        });
        sink.consume(new RecordingBatch(change(1, "a"), change(2, "a")));
        assertThat(labels(server.taken())).containsExactly("a1", "a2", "a1", "a2");
        assertThat(server.taken().get(0).getAttributesMap())
                .isEqualTo(server.taken().get(2).getAttributesMap());
    }

    @Test
    void a_failure_stops_its_key_and_no_other() throws Exception {
        reopen(SHORT, 100, 1);
        refuse("a2", Status.UNAVAILABLE, Integer.MAX_VALUE);
        RecordingBatch batch =
                new RecordingBatch(change(1, "a"), change(2, "a"), change(3, "b"), change(4, "a"), change(5, "c"));
        sink.consume(batch);
        assertThat(batch.failed()).containsOnlyKeys(1, 3);
        assertThat(batch.failure(1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tx2", PublisherServer.TOPIC, "UNAVAILABLE")
                .hasMessageNotContaining("secret");
        assertThat(batch.failure(3)).hasMessageContaining("an earlier change of its keys was not");
        assertThat(batch.settled())
                .as("what is behind a failure is for the engine to settle")
                .containsExactly(0);
        assertThat(labels(server.taken())).containsExactlyInAnyOrder("a1", "b3", "c5");
    }

    @Test
    void a_failed_key_continues_with_the_next_attempt() throws Exception {
        reopen(SHORT, 100, 1_000);
        refuse("a1", Status.UNAVAILABLE, Integer.MAX_VALUE);
        RecordingBatch first = new RecordingBatch(change(1, "a"), change(2, "a"));
        sink.consume(first);
        assertThat(first.failed()).containsOnlyKeys(0, 1);
        server.confirmAll();
        sink.consume(new RecordingBatch(change(1, "a")));
        sink.consume(new RecordingBatch(change(2, "a"), change(3, "a")));
        assertThat(labels(server.taken())).containsExactly("a1", "a2", "a3");
    }

    @Test
    void changes_behind_a_failed_one_on_any_of_its_keys_are_not_sent() throws Exception {
        reopen(SHORT, 1, 1);
        refuse("a1", Status.UNAVAILABLE, Integer.MAX_VALUE);
        RecordingBatch batch =
                new RecordingBatch(change(1, "a", "b"), change(2, "b", "c"), change(3, "c"), change(4, "d"));
        sink.consume(batch);
        assertThat(batch.failed()).containsOnlyKeys(0, 1, 2);
        assertThat(labels(server.taken())).containsExactly("d4");
    }

    @Test
    void a_change_has_not_failed_while_one_of_its_messages_is_on_its_way() throws Exception {
        server.script(
                request -> has("a1").test(request) ? new Reply.Refuse(Status.FAILED_PRECONDITION) : new Reply.Hold());
        RecordingBatch batch = new RecordingBatch(change(1, "a", "b"));
        Future<?> call = inBackground(batch);
        server.awaitRequests(2);
        assertThatThrownBy(() -> call.get(100, TimeUnit.MILLISECONDS))
                .as("a next attempt could overtake it")
                .isInstanceOf(TimeoutException.class);
        server.releaseHeld();
        call.get(20, TimeUnit.SECONDS);
        assertThat(batch.failed()).containsOnlyKeys(0);
        assertThat(labels(server.taken())).containsExactly("b1");
    }

    @Test
    void an_invalid_message_alone_is_refused_for_good() throws Exception {
        refuse("a3", Status.INVALID_ARGUMENT, Integer.MAX_VALUE);
        RecordingBatch batch =
                new RecordingBatch(change(1, "a"), change(2, "a"), change(3, "a"), change(4, "a"), change(5, "b"));
        sink.consume(batch);
        assertThat(batch.settled()).containsExactly(0, 1);
        assertThat(batch.failure(2)).isInstanceOf(NonRetryableException.class).hasMessageContaining("tx3");
        assertThat(batch.failure(3)).isNotInstanceOf(NonRetryableException.class);
        assertThat(labels(server.taken())).containsExactlyInAnyOrder("a1", "a2", "b5");
    }

    @Test
    void a_change_that_is_too_large_is_refused_for_good_and_nothing_of_it_is_sent() throws Exception {
        RecordingBatch batch = new RecordingBatch(
                change(1, "a"), withNote(2, "x".repeat(10_000_000), "a", "b"), change(3, "b"), change(4, "c"));
        sink.consume(batch);
        assertThat(batch.failure(1)).isInstanceOf(NonRetryableException.class).hasMessageContaining("too large");
        assertThat(batch.failed()).containsOnlyKeys(1, 2);
        assertThat(labels(server.taken())).containsExactlyInAnyOrder("a1", "c4");
    }

    @Test
    void a_message_that_is_just_small_enough_goes_alone() throws Exception {
        RecordingBatch batch =
                new RecordingBatch(change(1, "a"), withNote(2, "x".repeat(9_998_000), "a"), change(3, "a"));
        sink.consume(batch);
        assertThat(batch.settled()).containsExactly(0, 1, 2);
        assertThat(server.requests()).hasSize(3);
    }

    @Test
    void a_problem_of_the_setup_names_its_remedy() throws Exception {
        server.removeTopic();
        RecordingBatch batch = new RecordingBatch(change(1, "a"));
        sink.consume(batch);
        assertThat(batch.failure(0))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gcloud pubsub topics create changes --project=demo");
        server.createTopic();
        refuse("a1", Status.PERMISSION_DENIED, 1);
        RecordingBatch denied = new RecordingBatch(change(1, "a"));
        sink.consume(denied);
        assertThat(denied.failure(0))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("roles/pubsub.publisher", PublisherServer.TOPIC);
        refuse("a1", Status.UNAUTHENTICATED, 1);
        RecordingBatch unknown = new RecordingBatch(change(1, "a"));
        sink.consume(unknown);
        assertThat(unknown.failure(0)).isInstanceOf(IOException.class).hasMessageContaining("credentials-file");
    }

    @Test
    void an_answer_that_confirms_too_few_messages_confirms_none() throws Exception {
        server.script(request -> new Reply.ConfirmTooFew());
        RecordingBatch batch = new RecordingBatch(change(1, "a"), change(2, "a"));
        sink.consume(batch);
        assertThat(batch.failed()).containsOnlyKeys(0, 1);
    }

    @Test
    void a_single_change_throws_what_became_of_it() throws Exception {
        sink.consume(change(1, "a"), RecordingBatch.DELIVERY);
        refuse("a2", Status.INVALID_ARGUMENT, 1);
        assertThatThrownBy(() -> sink.consume(change(2, "a"), RecordingBatch.DELIVERY))
                .isInstanceOf(NonRetryableException.class);
        assertThat(labels(server.taken())).containsExactly("a1");
    }

    @Test
    void a_topic_that_is_not_there_is_said_with_the_command_that_makes_it() throws Exception {
        TopicCheck.require(sink.client());
        server.refuseLooks(Status.PERMISSION_DENIED);
        TopicCheck.require(sink.client());
        server.refuseLooks(Status.NOT_FOUND);
        assertThatThrownBy(() -> TopicCheck.require(sink.client()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("topic " + PublisherServer.TOPIC + " does not exist")
                .hasMessageContaining("gcloud pubsub topics create changes --project=demo");
        server.refuseLooks(Status.UNAUTHENTICATED);
        assertThatThrownBy(() -> TopicCheck.require(sink.client()))
                .hasMessageContaining("sink.pubsub.check-topic=false");
    }
}
