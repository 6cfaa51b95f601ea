package dev.spream.sinks.http;

import static dev.spream.sinks.http.Entries.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.outbox.ReasonCode;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.SendOutcome.Retryable;
import dev.spream.outbox.SendOutcome.Unknown;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of connections that fail or break: whether a request was certainly not sent or may have been received. */
@Timeout(60)
final class HttpSenderBreakageTest {
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofSeconds(2); // in which a request leaves on a busy machine

    private static SendOutcome send(String url, Duration timeout) throws InterruptedException {
        try (HttpSender sender = HttpSender.builder(url).build()) {
            return sender.send(entry("k"), timeout);
        }
    }

    private static void assertUnknown(SendOutcome outcome, ReasonCode reason, String words) {
        assertThat(outcome).isInstanceOf(Unknown.class);
        Unknown unknown = (Unknown) outcome;
        assertThat(unknown.reason()).isEqualTo(reason);
        assertThat(unknown.message()).contains(words).doesNotContain("s3cr3t", "orders");
    }

    private static void assertNothingLeft(SendOutcome outcome, ReasonCode reason, String words) {
        assertThat(outcome).isInstanceOf(Retryable.class);
        Retryable retryable = (Retryable) outcome;
        assertThat(retryable.reason()).isEqualTo(reason);
        assertThat(retryable.message()).contains(words).endsWith("; nothing left");
    }

    @Test
    void a_connection_that_is_closed_before_the_answer_leaves_the_outcome_unknown() throws Exception {
        try (RawServer server = RawServer.hangingUpAfter("")) {
            assertUnknown(send(server.url("http"), LONG), ReasonCode.OUTCOME_UNKNOWN, "it may have accepted it");
            assertThat(server.requests()).as("it is not sent again silently").isEqualTo(1);
        }
    }

    @Test
    void half_a_head_and_garbage_leave_the_outcome_unknown() throws Exception {
        for (String answer : List.of("HTTP/1.1 20", "s3cr3t garbage\r\n\r\n", "HTTP/1.1 2OO s3cr3t\r\n\r\n")) {
            try (RawServer server = RawServer.hangingUpAfter(answer)) {
                assertUnknown(send(server.url("http"), LONG), ReasonCode.OUTCOME_UNKNOWN, "sent an invalid response");
            }
        }
    }

    @Test
    void a_success_needs_all_of_its_answer() throws Exception {
        String half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"s3cr3t\":";
        try (RawServer server = RawServer.hangingUpAfter(half)) {
            assertUnknown(
                    send(server.url("http"), LONG), ReasonCode.OUTCOME_UNKNOWN, "status 200, which is a success, but");
        }
        try (RawServer server = RawServer.silentAfter(half)) {
            assertUnknown(send(server.url("http"), SHORT), ReasonCode.TIMEOUT, "the answer did not end within 2 s");
        }
    }

    @Test
    void a_refusal_holds_without_the_rest_of_its_answer() throws Exception {
        String half = "HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nContent-Length: 100\r\n\r\nhalf";
        try (RawServer server = RawServer.hangingUpAfter(half);
                RawServer slow = RawServer.silentAfter(half)) {
            for (SendOutcome outcome : List.of(send(server.url("http"), LONG), send(slow.url("http"), SHORT))) {
                assertThat(outcome).isInstanceOf(Retryable.class);
                assertThat(((Retryable) outcome).after()).contains(Duration.ofSeconds(7));
            }
        }
    }

    @Test
    void silence_leaves_the_outcome_unknown_before_the_time_is_over() throws Exception {
        try (RawServer server = RawServer.silentAfter("")) {
            long start = System.nanoTime();
            assertUnknown(
                    send(server.url("http"), SHORT), ReasonCode.TIMEOUT, "did not answer in time, within 2 s; it may");
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(SHORT.dividedBy(2));
        }
        assertThat(HttpSender.within(Duration.ofMillis(2_500))).isEqualTo(Duration.ofMillis(2_400));
        assertThat(HttpSender.within(Duration.ofMillis(400))).isEqualTo(Duration.ofMillis(360));
    }

    @Test
    void a_refused_connection_sends_nothing() throws Exception {
        RawServer server = RawServer.silentAfter("");
        server.close();
        assertNothingLeft(
                send(server.url("http"), LONG), ReasonCode.UNAVAILABLE, "nothing takes connections there; nothing");
    }

    @Test
    void a_host_that_has_no_address_is_said() throws Exception {
        assertNothingLeft(
                send("http://nowhere.invalid/orders", LONG),
                ReasonCode.UNAVAILABLE,
                "its name is unknown; nothing left");
    }

    @Test
    void a_server_that_does_not_speak_tls_got_nothing() throws Exception {
        for (String answer : List.of("", "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")) {
            try (RawServer server = RawServer.hangingUpAfter(answer)) {
                SendOutcome outcome = send(server.url("https"), LONG);
                for (int more = 0; more < 4 && outcome instanceof Unknown; more++) {
                    // now and then, the JDK's client does not say that it was in the handshake
                    assertUnknown(outcome, ReasonCode.OUTCOME_UNKNOWN, "it may have accepted it");
                    outcome = send(server.url("https"), LONG);
                }
                assertNothingLeft(outcome, ReasonCode.UNAVAILABLE, "https://127.0.0.1:");
            }
        }
    }

    @Test
    void a_server_that_does_not_take_the_connection_got_nothing() throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            List<Socket> waiting = fill(full);
            String url = "http://127.0.0.1:" + full.getLocalPort() + "/orders";
            assertNothingLeft(send(url, LONG), ReasonCode.UNAVAILABLE, "could not be connected to in time");
            assertNothingLeft(send(url, Duration.ofMillis(400)), ReasonCode.TIMEOUT, "did not answer in time");
            for (Socket socket : waiting) {
                socket.close();
            }
        }
    }

    /** Connects until the kernel takes no more. */
    private static List<Socket> fill(ServerSocket server) throws IOException {
        List<Socket> waiting = new ArrayList<>();
        while (waiting.size() < 100) {
            Socket socket = new Socket();
            waiting.add(socket);
            try {
                socket.connect(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()), 300);
            } catch (SocketTimeoutException e) {
                return waiting;
            }
        }
        throw new IOException("a hundred connections wait, and there is room for more");
    }

    @Test
    void an_interrupt_ends_an_attempt() throws Exception {
        try (RawServer server = RawServer.silentAfter("");
                HttpSender sender = HttpSender.builder(server.url("http")).build()) {
            FutureTask<SendOutcome> attempt = new FutureTask<>(() -> sender.send(entry("k"), LONG));
            Thread caller = Thread.ofVirtual().start(attempt);
            caller.interrupt();
            assertThatThrownBy(() -> attempt.get(20, TimeUnit.SECONDS)).hasCauseInstanceOf(InterruptedException.class);
        }
    }

    @Test
    void closing_ends_what_is_on_its_way_and_lets_nothing_leave_afterwards() throws Exception {
        try (RawServer server = RawServer.silentAfter("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")) {
            HttpSender sender = HttpSender.builder(server.url("http")).build();
            FutureTask<SendOutcome> attempt = new FutureTask<>(() -> sender.send(entry("k"), LONG));
            Thread.ofVirtual().start(attempt);
            server.awaitRequest();
            sender.close();
            assertThat(attempt.get(20, TimeUnit.SECONDS)).isInstanceOf(Unknown.class);
            assertNothingLeft(sender.send(entry("k"), LONG), ReasonCode.UNAVAILABLE, "");
            sender.close();
        }
    }
}
