package com.example.collector;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.spream.api.Spream;
import dev.spream.api.config.SpreamConfig;
import dev.spream.testkit.subscription.ScriptedSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The sink as users run it: found by its name, configured by its keys, called by the engine. */
final class CollectorSinkTest {
    @Test
    void changes_arrive_with_the_token() throws IOException {
        try (var collector = new Collector(body -> 204)) {
            collector.receive("retry.max-attempts", "3");
            assertThat(String.join("\n", collector.bodies)).contains("ann", "bob", "cat");
            assertThat(collector.tokens).containsOnly("Bearer s3cret");
        }
    }

    @Test
    void an_answer_of_500_is_tried_again() throws IOException {
        try (var collector = new Collector()) {
            collector.answer = body -> collector.bodies.size() == 1 ? 500 : 204;
            collector.receive("retry.base-delay", "1ms");
            assertThat(String.join("\n", collector.taken)).contains("ann", "bob", "cat");
        }
    }

    @Test
    void a_change_that_is_refused_becomes_a_dead_letter_and_the_others_arrive() throws IOException {
        Path letters = Files.createTempFile("letters", ".jsonl");
        try (var collector = new Collector(body -> body.contains("bob") ? 422 : 204)) {
            collector.receive(
                    "on-failure",
                    "dead-letter",
                    "dead-letters",
                    "jsonl",
                    "dead-letters.jsonl.path",
                    letters.toString());
            assertThat(String.join("\n", collector.taken))
                    .contains("ann", "cat")
                    .doesNotContain("bob");
            assertThat(Files.readString(letters)).contains("bob", "the collector refused the request: 422");
        } finally {
            Files.delete(letters);
        }
    }

    /** A collector on this machine that answers as a test says. */
    private static final class Collector implements AutoCloseable {
        final Queue<String> bodies = new ConcurrentLinkedQueue<>();
        final Queue<String> taken = new ConcurrentLinkedQueue<>();
        final Queue<String> tokens = new ConcurrentLinkedQueue<>();
        Function<String, Integer> answer = body -> 204;

        private final HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);

        Collector(Function<String, Integer> answer) throws IOException {
            this();
            this.answer = answer;
        }

        Collector() throws IOException {
            server.createContext("/", exchange -> {
                String body = new String(exchange.getRequestBody().readAllBytes());
                bodies.add(body);
                tokens.add(exchange.getRequestHeaders().getFirst("Authorization"));
                int status = answer.apply(body);
                if (status == 204) {
                    taken.add(body);
                }
                exchange.sendResponseHeaders(status, -1);
                exchange.close();
            });
            server.start();
        }

        /** Runs a subscription of three changes to its end. */
        void receive(String... more) {
            Map<String, String> keys = new HashMap<>(Map.of(
                    "storage", "memory",
                    "sink", "collector",
                    "sink.collector.url",
                            "http://127.0.0.1:" + server.getAddress().getPort() + "/",
                    "sink.collector.token", "s3cret",
                    "max-inflight", "8",
                    "start", ScriptedSource.START.toString(),
                    "end", ScriptedSource.at(9).toString()));
            for (int i = 0; i < more.length; i += 2) {
                keys.put(more[i], more[i + 1]);
            }
            var source = ScriptedSource.of(
                    ScriptedSource.START,
                    List.of(
                            ScriptedSource.newChange(1, "ann", "tx1"),
                            ScriptedSource.newChange(2, "bob", "tx2"),
                            ScriptedSource.newChange(3, "cat", "tx3")));
            try (var spream =
                    Spream.builder(SpreamConfig.of(keys)).source(source).build()) {
                spream.run();
            }
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
