package dev.spream.sink.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.ProducerConfig;

/**
 * The options for connecting to Kafka and for publishing. The text form omits properties, which may be secret.
 *
 * @param prefix the prefix of the configuration keys, such as {@code sink.kafka}
 * @param clientId the name of the client in Kafka's logs and quotas
 * @param servers host and port of the first brokers to ask
 * @param properties more properties of the client
 * @param publishTimeout the time limit until a message is confirmed
 * @param startTimeout the time limit of the check at start
 * @param checkTopic whether the topic is checked at start
 */
record KafkaOptions(
        String prefix,
        String clientId,
        List<String> servers,
        Map<String, String> properties,
        Duration publishTimeout,
        Duration startTimeout,
        boolean checkTopic) {
    private static final String LINGER = "0"; // the next message of a key waits for the one before it
    private static final Duration REQUEST = Duration.ofSeconds(30);
    private static final int REQUESTS = 3; // that fit into a time limit, so that one without an answer is repeated
    private static final Duration IDLE = Duration.ofSeconds(10);
    private static final Duration TRANSACTION = Duration.ofMinutes(1);
    private static final Duration TRANSACTION_END = Duration.ofSeconds(30);

    KafkaOptions {
        servers = List.copyOf(servers);
        properties = Map.copyOf(properties);
    }

    String key(String name) {
        return prefix + "." + name;
    }

    /** Returns the servers as Kafka's own tools take them. */
    String serverList() {
        return String.join(",", servers);
    }

    Map<String, Object> producer(Optional<String> transactionalId) {
        Map<String, Object> all = new HashMap<>();
        all.put(ProducerConfig.CLIENT_ID_CONFIG, clientId);
        all.put(ProducerConfig.LINGER_MS_CONFIG, LINGER);
        all.putAll(properties);
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, serverList());
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, Math.toIntExact(publishTimeout.toMillis()));
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, publishTimeout.toMillis());
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, Math.toIntExact(requestTimeout()));
        all.putIfAbsent(ProducerConfig.CONNECTIONS_MAX_IDLE_MS_CONFIG, idleTime());
        transactionalId.ifPresent(id -> {
            all.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, id);
            all.putIfAbsent(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, Math.toIntExact(transactionTimeout()));
        });
        return all;
    }

    /** Until then the broker does not end a transaction whose messages the client still tries to publish. */
    private long transactionTimeout() {
        return Math.max(
                TRANSACTION.toMillis(), publishTimeout.plus(TRANSACTION_END).toMillis());
    }

    /** Unless it is configured, a request with its linger fits into the time limit, as Kafka demands. */
    private long requestTimeout() {
        String configured = properties.get(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG);
        if (configured != null) {
            return Long.parseLong(configured.strip());
        }
        long linger = Long.parseLong(
                properties.getOrDefault(ProducerConfig.LINGER_MS_CONFIG, LINGER).strip());
        long request = Math.min(REQUEST.toMillis(), publishTimeout.toMillis() / REQUESTS);
        return Math.max(1, Math.min(request, publishTimeout.toMillis() - linger));
    }

    /**
     * The client waits without a limit for a broker that accepts a connection and never answers its TLS or SASL handshake,
     * and asks no other one meanwhile; such a connection ends by being idle alone. A request without an answer is not
     * ended by that.
     */
    private long idleTime() {
        return Math.max(IDLE.toMillis(), requestTimeout() * 3 / 2);
    }

    /** Returns the time after the end of a producer in which a request of it may still arrive. */
    Duration lateFor() {
        return publishTimeout.plusMillis(requestTimeout());
    }

    Map<String, Object> admin() {
        Map<String, Object> all = new HashMap<>();
        all.put(AdminClientConfig.CLIENT_ID_CONFIG, clientId);
        properties.forEach((name, value) -> {
            if (AdminClientConfig.configNames().contains(name)) {
                all.put(name, value);
            }
        });
        all.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, serverList());
        int limit = Math.toIntExact(startTimeout.toMillis());
        all.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, limit);
        int one = Math.max(1, limit / Math.max(REQUESTS, servers.size() + 1)); // so that all others are asked in time
        all.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, one);
        all.put(AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MS_CONFIG, (long) one);
        all.put(AdminClientConfig.SOCKET_CONNECTION_SETUP_TIMEOUT_MAX_MS_CONFIG, (long) one);
        all.put(AdminClientConfig.CONNECTIONS_MAX_IDLE_MS_CONFIG, (long) one); // ends a handshake without an answer
        return all;
    }

    /** Returns a text of the client without the secrets among the properties: it quotes parts of a malformed login. */
    String masked(String text) {
        String masked = text;
        for (String secret : ClientProperties.secrets(properties)) {
            masked = masked.replace(secret, "***");
        }
        return masked;
    }

    @Override
    public String toString() {
        return "KafkaOptions[servers=%s, properties=%s]".formatted(servers, properties.keySet());
    }
}
