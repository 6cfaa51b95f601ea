package dev.spream.storage.spanner;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.spanner.v1.CreateSessionRequest;
import com.google.spanner.v1.Session;
import com.google.spanner.v1.SpannerGrpc;
import dev.spream.emulator.SpannerEmulator;
import dev.spream.storage.spanner.client.Prefetch;
import dev.spream.storage.spanner.client.SilenceWatch;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Watched channels to an emulator, over connections that go silent. */
@Timeout(60)
class SilenceWatchIT {
    private static final Duration UNANSWERED = Duration.ofMillis(1_500);
    private static final Status.Code ANSWER = Status.Code.NOT_FOUND;

    private final SpannerEmulator emulator = SpannerEmulator.start();
    private final SilenceWatch watch = new SilenceWatch(UNANSWERED);
    private SilencingProxy proxy;
    private ManagedChannel one;
    private ManagedChannel other;

    @BeforeEach
    void open() throws Exception {
        proxy = new SilencingProxy(emulator.emulatorHost());
        one = channel();
        other = channel();
        awaitAnswer(one);
        awaitAnswer(other);
    }

    @AfterEach
    void close() throws IOException {
        one.shutdownNow();
        other.shutdownNow();
        proxy.close();
        emulator.close();
    }

    private ManagedChannel channel() {
        return watch.watching(Grpc.newChannelBuilder(proxy.host(), InsecureChannelCredentials.create()))
                .build();
    }

    @Test
    void a_call_without_an_answer_makes_all_channels_connect_anew() throws Exception {
        proxy.silence();
        CompletableFuture<Status.Code> silent = new CompletableFuture<>();
        call(one, CallOptions.DEFAULT, silent);

        awaitAnswer(one);
        awaitAnswer(other);
        assertThat(silent).as("the call stays on its connection").isNotDone();
    }

    @Test
    void a_change_streams_query_may_be_silent_until_it_is_cancelled() throws Exception {
        proxy.silence();
        long start = System.nanoTime();
        CompletableFuture<Status.Code> ended = new CompletableFuture<>();
        ClientCall<?, ?> query = call(one, CallOptions.DEFAULT.withOption(Prefetch.OF_CALL, new Prefetch(1)), ended);
        do {
            assertThat(answerSoon(other)).isEqualTo(Status.Code.DEADLINE_EXCEEDED);
        } while (System.nanoTime() - start < 2 * UNANSWERED.toNanos());

        query.cancel("stalled", null);

        assertThat(ended.get(30, SECONDS)).isEqualTo(Status.Code.CANCELLED);
        awaitAnswer(one);
        awaitAnswer(other);
    }

    private static void awaitAnswer(ManagedChannel channel) throws Exception {
        long end = System.nanoTime() + SECONDS.toNanos(20);
        Status.Code answer = answerSoon(channel);
        while (answer == Status.Code.DEADLINE_EXCEEDED && System.nanoTime() - end < 0) {
            answer = answerSoon(channel);
        }
        assertThat(answer).isEqualTo(ANSWER);
    }

    /** Too soon for the watch to see a silence in it. */
    private static Status.Code answerSoon(ManagedChannel channel) throws Exception {
        CompletableFuture<Status.Code> answer = new CompletableFuture<>();
        call(channel, CallOptions.DEFAULT.withDeadlineAfter(UNANSWERED.toMillis() / 3, MILLISECONDS), answer);
        return answer.get(30, SECONDS);
    }

    /** Asks about a database that does not exist. */
    private static ClientCall<?, ?> call(
            ManagedChannel channel, CallOptions options, CompletableFuture<Status.Code> answer) {
        ClientCall<CreateSessionRequest, Session> call = channel.newCall(SpannerGrpc.getCreateSessionMethod(), options);
        call.start(
                new ClientCall.Listener<>() {
                    @Override
                    public void onClose(Status status, Metadata trailers) {
                        answer.complete(status.getCode());
                    }
                },
                new Metadata());
        call.request(2);
        call.sendMessage(CreateSessionRequest.newBuilder()
                .setDatabase("projects/p/instances/i/databases/none")
                .build());
        call.halfClose();
        return call;
    }
}
