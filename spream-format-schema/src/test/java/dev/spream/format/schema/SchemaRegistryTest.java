package dev.spream.format.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.NonRetryableException;
import dev.spream.core.SpreamException;
import dev.spream.servers.RegistryServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the client against a server that answers as documented. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class SchemaRegistryTest {
    private static final String SUBJECT = "shop.orders-value";
    private static final String SCHEMA = "message Orders {}";

    private RegistryServer server;

    @BeforeEach
    void start() throws IOException {
        server = RegistryServer.start((schema, before) -> schema.startsWith("message"));
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private SchemaRegistry registry() {
        return registry(SchemaType.PROTOBUF, Optional.empty(), true);
    }

    private SchemaRegistry registry(SchemaType type, Optional<SchemaRegistry.Login> login, boolean registers) {
        return SchemaRegistry.of(URI.create(server.url()), type, login, registers, Duration.ofSeconds(30));
    }

    @Test
    void a_schema_is_asked_for_once_in_each_subject() {
        try (SchemaRegistry registry = registry()) {
            int id = registry.id(SUBJECT, SCHEMA);
            assertThat(registry.id(SUBJECT, SCHEMA)).isEqualTo(id);
            assertThat(registry.id("other", SCHEMA)).isEqualTo(id);
            assertThat(registry.id(SUBJECT, SCHEMA + " ")).isNotEqualTo(id);
            assertThat(server.requests()).hasSize(3);
        }
    }

    @Test
    void many_threads_ask_for_a_schema_once() throws Exception {
        try (SchemaRegistry registry = registry();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> ids = IntStream.range(0, 100)
                    .mapToObj(thread -> threads.submit(() -> registry.id(SUBJECT, SCHEMA)))
                    .toList();
            for (Future<Integer> id : ids) {
                assertThat(id.get()).isEqualTo(1);
            }
            assertThat(server.requests()).hasSize(1);
        }
    }

    @Test
    void an_answer_of_something_else_than_a_registry_refuses_nothing_for_good() {
        try (SchemaRegistry registry = registry(SchemaType.AVRO, Optional.empty(), false)) {
            server.breaks(1, 404, 0);
            assertThatThrownBy(() -> registry.id(SUBJECT, SCHEMA))
                    .isNotInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("check schema-registry.url");
        }
    }

    @Test
    void a_schema_has_its_type_unless_that_is_avro() {
        try (SchemaRegistry protobuf = registry();
                SchemaRegistry avro = registry(SchemaType.AVRO, Optional.empty(), true)) {
            protobuf.id(SUBJECT, SCHEMA);
            avro.id("other", SCHEMA);
            assertThat(server.types()).containsExactly("PROTOBUF", "");
        }
    }

    @Test
    void a_subject_is_encoded_in_the_path() {
        try (SchemaRegistry registry = registry()) {
            registry.id("a/b c", SCHEMA);
            assertThat(server.requests()).containsExactly("POST /subjects/a%2Fb%20c/versions");
        }
    }

    @Test
    void a_schema_that_does_not_fit_is_refused_for_good_and_not_quoted() {
        try (SchemaRegistry registry = registry()) {
            registry.id(SUBJECT, SCHEMA);
            assertThatThrownBy(() -> registry.id(SUBJECT, "incompatible"))
                    .isInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("status 409 and code 409 to the schema of " + SUBJECT)
                    .hasMessageContaining("compatibility")
                    .hasMessageNotContaining("incompatible");
        }
    }

    @Test
    void a_registry_that_fails_is_asked_again_by_the_next_attempt() {
        try (SchemaRegistry registry = registry()) {
            server.breaks(1);
            assertThatThrownBy(() -> registry.id(SUBJECT, SCHEMA))
                    .isInstanceOf(SpreamException.class)
                    .isNotInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("status 500 and code 50001");
            assertThat(registry.id(SUBJECT, SCHEMA)).isEqualTo(1);
        }
    }

    @Test
    void a_subject_that_is_read_only_now_refuses_nothing_for_good() {
        try (SchemaRegistry registry = registry()) {
            server.breaks(1, 422, 42205);
            assertThatThrownBy(() -> registry.id(SUBJECT, SCHEMA))
                    .isNotInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("the subject is read-only now");
            server.breaks(1, 422, 42201);
            assertThatThrownBy(() -> registry.id(SUBJECT, SCHEMA)).isInstanceOf(NonRetryableException.class);
        }
    }

    @Test
    void a_registry_that_is_away_or_silent_is_a_failure_that_may_pass() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SchemaRegistry registry = at(silent, Duration.ofMillis(300))) {
            assertThatThrownBy(() -> registry.id(SUBJECT, SCHEMA))
                    .isNotInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("did not answer in time");
            silent.close();
            assertThatThrownBy(() -> registry.id(SUBJECT, SCHEMA))
                    .isNotInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("cannot be reached");
        }
    }

    @Test
    void an_interrupt_ends_the_wait_and_stays_set() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SchemaRegistry registry = at(silent, Duration.ofSeconds(30))) {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> registry.id(SUBJECT, SCHEMA)).hasMessageContaining("interrupted");
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void an_interrupt_of_the_thread_that_asks_fails_no_other_one() throws Exception {
        try (ServerSocket once = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
                SchemaRegistry registry = at(once, Duration.ofSeconds(30));
                ExecutorService threads = Executors.newCachedThreadPool()) {
            once.setSoTimeout(30_000);
            Future<Integer> first = threads.submit(() -> registry.id(SUBJECT, SCHEMA));
            try (Socket silent = once.accept()) {
                Thread joining = new Thread(() -> registry.id(SUBJECT, SCHEMA));
                joining.start();
                while (joining.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
                first.cancel(true);
                try (Socket asking = once.accept()) {
                    assertThat(asking.getInputStream().read()).isEqualTo('P'); // of POST
                }
            }
        }
    }

    private static SchemaRegistry at(ServerSocket socket, Duration timeout) {
        URI url = URI.create("http://localhost:" + socket.getLocalPort());
        return SchemaRegistry.of(url, SchemaType.PROTOBUF, Optional.empty(), true, timeout);
    }

    @Test
    void user_and_password_are_sent_and_asked_for() {
        server.requires("Basic " + Base64.getEncoder().encodeToString("key:geheim".getBytes(UTF_8)));
        Optional<SchemaRegistry.Login> login = Optional.of(new SchemaRegistry.Login("key", "geheim"));
        try (SchemaRegistry without = registry();
                SchemaRegistry with = registry(SchemaType.PROTOBUF, login, true)) {
            assertThatThrownBy(() -> without.id(SUBJECT, SCHEMA))
                    .isNotInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("status 401")
                    .hasMessageContaining("check schema-registry.user");
            assertThat(with.id(SUBJECT, SCHEMA)).isEqualTo(1);
        }
    }

    @Test
    void schemas_that_are_not_to_be_registered_have_to_be_there() {
        try (SchemaRegistry reader = registry(SchemaType.PROTOBUF, Optional.empty(), false);
                SchemaRegistry writer = registry()) {
            assertThatThrownBy(() -> reader.id(SUBJECT, SCHEMA))
                    .isInstanceOf(NonRetryableException.class)
                    .hasMessageContaining("schema-registry.register=true");
            writer.id(SUBJECT, SCHEMA);
            assertThat(reader.id(SUBJECT, SCHEMA)).isEqualTo(1);
            assertThat(server.requests().getLast()).isEqualTo("POST /subjects/shop.orders-value");
        }
    }
}
