package dev.spream.sink.kafka;

import dev.spream.kafka.KafkaBroker;
import dev.spream.kafka.KafkaBroker.Listener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The broker that the tests of a JVM share, each with topics of its own. Clients without a login may do everything; those
 * of the listener with logins only what they are granted. Further listeners are behind a proxy, and encrypted. It ends
 * with the JVM.
 */
final class TestBroker {
    private static final String USERS = "org.apache.kafka.common.security.plain.PlainLoginModule required "
            + "user_admin=\"admin-pw\" user_alice=\"alice-pw\" user_bob=\"bob-pw\";";
    private static final AtomicInteger TOPICS = new AtomicInteger();

    private TestBroker() {}

    private static final class Shared {
        static final BrokerProxy PROXY;
        static final TestStore STORE;
        static final KafkaBroker BROKER;

        static {
            try {
                Path folder = Files.createTempDirectory("kafka");
                PROXY = BrokerProxy.start();
                STORE = TestStore.create(folder);
                Map<String, String> settings = new HashMap<>(STORE.settings());
                settings.putAll(Map.of(
                        "sasl.enabled.mechanisms",
                        "PLAIN,SCRAM-SHA-256",
                        "listener.name.users.plain.sasl.jaas.config",
                        USERS,
                        "listener.name.users.scram-sha-256.sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required;",
                        "authorizer.class.name",
                        "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "super.users",
                        "User:admin;User:ANONYMOUS"));
                BROKER = KafkaBroker.start(
                        folder,
                        settings,
                        List.of(
                                new Listener("PROXIED", "PLAINTEXT", PROXY.port()),
                                new Listener("USERS", "SASL_PLAINTEXT", 0),
                                new Listener("TLS", "SSL", 0)));
                PROXY.target(BROKER.port("PROXIED"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Returns the broker; classes run one after the other, so one may kill it that starts it again. */
    static KafkaBroker broker() {
        return Shared.BROKER;
    }

    static String address() {
        return Shared.BROKER.address();
    }

    /** Returns the proxy before a listener, which passes everything when a test has it, and again when that is done. */
    static BrokerProxy proxy() {
        return Shared.PROXY;
    }

    /** Returns the address for users with a login. */
    static String usersAddress() {
        return "127.0.0.1:" + Shared.BROKER.port("USERS");
    }

    /** Returns the address for encrypted connections, with the certificate of {@link #store()}. */
    static String tlsAddress() {
        return "127.0.0.1:" + Shared.BROKER.port("TLS");
    }

    static TestStore store() {
        return Shared.STORE;
    }

    /** Returns the topics of the shared broker. */
    static Topics topics() {
        return new Topics(address());
    }

    static String newTopic(int partitions) throws Exception {
        return topics().create("topic-" + TOPICS.incrementAndGet(), partitions);
    }
}
