package dev.spream.sink.kafka;

import static dev.spream.sink.kafka.KafkaChanges.change;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.testkit.consume.RecordingBatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialDeletion;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of what is refused before the first change, by a broker with users and rights, and of what rights allow. */
@Timeout(120)
final class StartIT {
    @BeforeAll
    static void createTopic() throws Exception {
        topics().create("orders", 3);
    }

    private static Map<String, String> login(String user, String password) {
        return Map.of(
                "security.protocol",
                "SASL_PLAINTEXT",
                "sasl.mechanism",
                "PLAIN",
                "sasl.jaas.config",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\";"
                        .formatted(user, password));
    }

    private static Topics topics() {
        return TestBroker.topics();
    }

    private static void grant(String user, ResourceType type, String name, AclOperation operation) throws Exception {
        try (Admin admin = Admin.create(topics().properties())) {
            admin.createAcls(List.of(new AclBinding(
                            new ResourcePattern(type, name, PatternType.LITERAL),
                            new AccessControlEntry("User:" + user, "*", operation, AclPermissionType.ALLOW))))
                    .all()
                    .get();
        }
    }

    private static Consumer sink(String user, String password, Map<String, String> more) throws Exception {
        return sink(user, password, more, TestConfig.CONTEXT);
    }

    private static Consumer sink(String user, String password, Map<String, String> more, PluginContext context)
            throws Exception {
        Map<String, String> values =
                new HashMap<>(Map.of("bootstrap-servers", TestBroker.usersAddress(), "topic", "orders"));
        login(user, password).forEach((name, value) -> values.put("client." + name, value));
        values.putAll(more);
        return new KafkaSinkProvider().create(TestConfig.of(values), context);
    }

    @Test
    void a_user_with_the_right_to_write_publishes() throws Exception {
        grant("alice", ResourceType.TOPIC, "orders", AclOperation.WRITE);
        try (KafkaSink sink = (KafkaSink) sink("alice", "alice-pw", Map.of())) {
            RecordingBatch batch = new RecordingBatch(change(1, "a"));
            sink.consume(batch);
            assertThat(batch.settled()).containsExactly(0);
            assertThat(sink).hasToString("kafka to orders");
        }
        assertThat(topics().read("orders")).hasSize(1);
    }

    @Test
    void a_user_without_rights_is_refused_with_the_command_that_grants_them() {
        assertThatThrownBy(() -> sink("bob", "bob-pw", Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("topic orders cannot be used")
                .hasMessageContaining("kafka-acls.sh --bootstrap-server " + TestBroker.usersAddress())
                .hasMessageContaining("--operation Write --operation Describe --topic orders");
    }

    @Test
    void a_user_that_may_only_read_is_refused() throws Exception {
        topics().create("readable", 1);
        grant("bob", ResourceType.TOPIC, "readable", AclOperation.READ);
        assertThatThrownBy(() -> sink("bob", "bob-pw", Map.of("topic", "readable")))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("topic readable cannot be used; the user in use may not write to it");
    }

    @Test
    void a_missing_right_that_shows_later_fails_the_change_and_says_what_to_grant() throws Exception {
        try (KafkaSink sink = (KafkaSink) sink("bob", "bob-pw", Map.of("check-topic", "false"))) {
            RecordingBatch batch = new RecordingBatch(change(1, "a"));
            sink.consume(batch);
            assertThat(batch.failure(0))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("for topic orders")
                    .hasMessageContaining("kafka-acls.sh");
        }
    }

    @Test
    void wrong_credentials_are_refused_without_being_shown() {
        assertThatThrownBy(() -> sink("alice", "wrong-pw", Map.of()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("the credentials were refused: check sink.kafka.client.sasl.*")
                .hasMessageNotContaining("wrong-pw");
    }

    @Test
    void a_login_that_cannot_be_read_is_told_and_not_shown() {
        for (String login : List.of(
                "org.apache.kafka.common.security.plain.PlainLoginModule s3cret-pw;",
                "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"alice\" password s3cret-pw;",
                "s3cret-pw")) {
            assertThatThrownBy(() -> sink("alice", "alice-pw", Map.of("client.sasl.jaas.config", login)))
                    .as(login)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("no connection to " + TestBroker.usersAddress() + " can be made: ")
                    .hasMessageContaining("JAAS")
                    .hasMessageNotContaining("s3cret");
        }
    }

    @Test
    void credentials_that_are_refused_after_the_first_message_leave_the_producer() throws Exception {
        topics().create("daves", 1);
        grant("dave", ResourceType.TOPIC, "daves", AclOperation.WRITE);
        alterUser(
                "dave",
                new UserScramCredentialUpsertion(
                        "dave", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "dave-pw"));
        Map<String, String> more = new HashMap<>(Map.of(
                "client.sasl.mechanism",
                "SCRAM-SHA-256",
                "client.sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"dave\" password=\"dave-pw\";",
                "client.connections.max.idle.ms",
                "300",
                "publish-timeout",
                "3s",
                "check-topic",
                "false"));
        more.put("topic", "daves");
        try (KafkaSink sink = (KafkaSink) sink("dave", "dave-pw", more)) {
            publishAll(sink, change(1, "a"));
            Object producer = sink.producer().get();
            alterUser("dave", new UserScramCredentialDeletion("dave", ScramMechanism.SCRAM_SHA_256));
            RecordingBatch refused = new RecordingBatch(change(2, "a"));
            while (refused.failed().isEmpty()) {
                TimeUnit.MILLISECONDS.sleep(600); // until the connection is closed, as an idle one
                refused = new RecordingBatch(change(2, "a"));
                sink.consume(refused);
            }
            assertThat(sink.producer().get()).isSameAs(producer);
            alterUser(
                    "dave",
                    new UserScramCredentialUpsertion(
                            "dave", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "dave-pw"));
            publishAll(sink, change(2, "a"), change(3, "a"));
            assertThat(sink.producer().get()).isSameAs(producer);
        }
        assertThat(KafkaChanges.labels(topics().read("daves"))).endsWith("a2", "a3");
    }

    private static void publishAll(KafkaSink sink, DataChangeRecord... changes) throws Exception {
        RecordingBatch batch = new RecordingBatch(changes);
        sink.consume(batch);
        while (batch.settled().size() < changes.length) { // until the broker has the user
            batch = new RecordingBatch(changes);
            sink.consume(batch);
        }
    }

    private static void alterUser(String user, UserScramCredentialAlteration alteration) throws Exception {
        try (Admin admin = Admin.create(topics().properties())) {
            admin.alterUserScramCredentials(List.of(alteration)).all().get();
        }
    }

    @Test
    void more_partitions_than_a_topic_of_a_table_has_are_refused_with_both_numbers() throws Exception {
        topics().create("few-Orders", 2);
        try (KafkaSink sink =
                (KafkaSink) sink("admin", "admin-pw", Map.of("topic", "few-{table}", "partitions", "4"))) {
            RecordingBatch batch = new RecordingBatch(change(1, "a"), change(2, "b"), change(3, "c"));
            long started = System.nanoTime();
            sink.consume(batch);
            assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(30));
            assertThat(batch.failed()).containsOnlyKeys(0, 1, 2);
            assertThat(batch.failure(1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("topic few-Orders has 2 partitions, fewer than sink.kafka.partitions=4");
        }
    }

    @Test
    void credentials_that_are_refused_for_a_while_are_used_by_another_producer() throws Exception {
        Map<String, String> login = Map.of(
                "client.sasl.mechanism",
                "SCRAM-SHA-256",
                "client.sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"carol\" password=\"carol-pw\";",
                "check-topic",
                "false");
        topics().create("carols", 1);
        grant("carol", ResourceType.TOPIC, "carols", AclOperation.WRITE);
        Map<String, String> more = new HashMap<>(login);
        more.put("topic", "carols");
        try (KafkaSink sink = (KafkaSink) sink("carol", "carol-pw", more)) {
            RecordingBatch refused = new RecordingBatch(change(1, "a"));
            sink.consume(refused);
            assertThat(refused.failure(0)).hasMessageContaining("the credentials were refused");
            try (Admin admin = Admin.create(topics().properties())) {
                admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                                "carol", new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), "carol-pw")))
                        .all()
                        .get();
            }
            RecordingBatch again = new RecordingBatch(change(1, "a"));
            sink.consume(again);
            while (again.settled().isEmpty()) { // until the broker has the user
                again = new RecordingBatch(change(1, "a"));
                sink.consume(again);
            }
        }
        assertThat(topics().read("carols")).hasSize(1);
    }

    @Test
    void a_transactional_id_without_rights_is_refused() throws Exception {
        grant("alice", ResourceType.TOPIC, "orders", AclOperation.WRITE);
        assertThatThrownBy(() -> sink("alice", "alice-pw", Map.of("transactional-id", "worker-1")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no transaction of worker-1-0 can be begun")
                .hasMessageContaining("grant it Write and Describe on the transactional id");
    }

    @Test
    void a_replay_does_not_use_the_transactional_ids_of_the_worker() throws Exception {
        grant("alice", ResourceType.TOPIC, "orders", AclOperation.WRITE);
        assertThatThrownBy(() -> sink("alice", "alice-pw", Map.of("transactional-id", "worker-1"), TestConfig.REPLAY))
                .hasMessageContaining("no transaction of worker-1-replay-0 can be begun");
    }

    @Test
    void an_unknown_topic_is_refused_with_the_command_that_creates_it() {
        assertThatThrownBy(() -> sink("admin", "admin-pw", Map.of("topic", "nowhere")))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith(
                        "topic nowhere cannot be used; the topic does not exist: create it with 'kafka-topics.sh")
                .hasMessageContaining("sink.kafka.check-topic=false");
    }

    @Test
    void more_partitions_than_the_topic_has_are_refused() {
        assertThatThrownBy(() -> sink("admin", "admin-pw", Map.of("partitions", "4")))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("topic orders has 3 partitions, fewer than sink.kafka.partitions=4");
    }

    @Test
    void brokers_that_do_not_answer_are_refused_in_time_whatever_the_topic() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            for (String topic : List.of("orders", "{table}")) {
                assertThatThrownBy(() -> new KafkaSinkProvider()
                                .create(
                                        TestConfig.of(Map.of(
                                                "bootstrap-servers",
                                                "127.0.0.1:" + silent.getLocalPort(),
                                                "topic",
                                                topic,
                                                "start-timeout",
                                                "500ms")),
                                        TestConfig.CONTEXT))
                        .isInstanceOf(IOException.class)
                        .hasMessageStartingWith(
                                "no broker of 127.0.0.1:%d answered within 500 ms", silent.getLocalPort())
                        .hasMessageContaining("sink.kafka.client.security.protocol");
            }
        }
    }

    @Test
    void a_host_that_does_not_exist_is_refused() {
        assertThatThrownBy(() -> new KafkaSinkProvider()
                        .create(
                                TestConfig.of(Map.of(
                                        "bootstrap-servers",
                                        "nowhere.invalid:9092",
                                        "topic",
                                        "a",
                                        "check-topic",
                                        "false")),
                                TestConfig.CONTEXT))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no connection to nowhere.invalid:9092 can be made")
                .hasMessageContaining("check sink.kafka.bootstrap-servers");
    }
}
