package dev.spream.sink.kafka;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SaslConfigs;

/**
 * The properties of Kafka's producer as configuration keys: {@code client.} and the name of the property. Kafka's own
 * definitions say which there are, their types, and which are secrets; those that would break a promise of spream are
 * refused.
 */
final class ClientProperties {
    private static final String PREFIX = "client.";
    private static final int MAX_IN_FLIGHT = 5;

    private static final Pattern LOGIN_SEPARATOR = Pattern.compile("[\\s=;\"']+");
    private static final Pattern LOGIN_NAME =
            Pattern.compile("[\\w.]*LoginModule|required|requisite|sufficient|optional|username|password");
    private static final int SHORTEST_SECRET = 3;

    private static final String ORDER = "it keeps the order of each key";
    private static final String FORM = "it makes the messages";
    private static final Map<String, String> OWN = Map.ofEntries(
            Map.entry(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, "configure bootstrap-servers"),
            Map.entry(ProducerConfig.ACKS_CONFIG, "a change is settled when all in-sync replicas have it"),
            Map.entry(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, ORDER),
            Map.entry(ProducerConfig.RETRIES_CONFIG, "configure publish-timeout"),
            Map.entry(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, "configure publish-timeout"),
            Map.entry(ProducerConfig.MAX_BLOCK_MS_CONFIG, "configure publish-timeout"),
            Map.entry(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, FORM),
            Map.entry(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, FORM),
            Map.entry(ProducerConfig.PARTITIONER_CLASS_CONFIG, ORDER),
            Map.entry(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG, ORDER),
            Map.entry(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "configure transactional-id"),
            Map.entry(ProducerConfig.TRANSACTION_TWO_PHASE_COMMIT_ENABLE_CONFIG, "it commits transactions itself"),
            Map.entry("config.providers", "write ${file:/path} or ${env:NAME} instead"));

    /** Libraries of compression with native code, which this module does not bring. */
    private static final Map<String, Library> LIBRARIES = Map.of(
            "zstd", new Library("com.github.luben.zstd.Zstd", "com.github.luben:zstd-jni"),
            "lz4", new Library("net.jpountz.lz4.LZ4Factory", "at.yawk.lz4:lz4-java"),
            "snappy", new Library("org.xerial.snappy.Snappy", "org.xerial.snappy:snappy-java"));

    /** The keys, by the name of the property. */
    static final Map<String, ConfigKey<String>> KEYS = keys();

    private ClientProperties() {}

    private static Map<String, ConfigKey<String>> keys() {
        Map<String, ConfigKey<String>> keys = new TreeMap<>();
        ProducerConfig.configDef().configKeys().forEach((name, property) -> keys.put(name, key(property)));
        return keys;
    }

    private static ConfigKey<String> key(ConfigDef.ConfigKey property) {
        String reason = OWN.get(property.name);
        if (reason != null) {
            return ConfigKey.of(PREFIX + property.name, refusing(reason), "Set by spream itself: " + reason + ".");
        }
        ConfigKey<String> key =
                ConfigKey.of(PREFIX + property.name, type(property), "Property of Kafka's producer, passed to it.");
        return property.type == ConfigDef.Type.PASSWORD ? key.secret() : key;
    }

    private static ConfigType<String> refusing(String reason) {
        return new ConfigType<>(
                "not configurable",
                text -> {
                    throw new IllegalArgumentException("spream sets this property itself: " + reason);
                },
                text -> text);
    }

    private static ConfigType<String> type(ConfigDef.ConfigKey property) {
        String label = property.type.name().toLowerCase(Locale.ROOT);
        return new ConfigType<>(label, text -> valid(property, label, text), text -> text);
    }

    private static String valid(ConfigDef.ConfigKey property, String label, String text) {
        switch (property.type) {
            case BOOLEAN, SHORT, INT, LONG, DOUBLE, STRING -> {
                try {
                    Object value = ConfigDef.parseType(property.name, text, property.type);
                    if (property.validator != null) {
                        property.validator.ensureValid(property.name, value);
                    }
                } catch (KafkaException e) {
                    String rule = property.validator == null ? "" : ", " + property.validator;
                    throw new IllegalArgumentException("expected %s%s".formatted(label, rule), e);
                }
            }
            case LIST, CLASS, PASSWORD -> {} // by the client: classes are those of its class loader
        }
        if (property.name.equals(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION)
                && Integer.parseInt(text.strip()) > MAX_IN_FLIGHT) {
            throw new IllegalArgumentException(
                    "expected at most %d: Kafka keeps the order of more only without retries".formatted(MAX_IN_FLIGHT));
        }
        return text;
    }

    /** Returns the configured properties by name. */
    static Map<String, String> of(PluginConfig config) {
        Map<String, String> properties = new TreeMap<>();
        KEYS.forEach((name, key) -> config.find(key).ifPresent(value -> properties.put(name, value)));
        return properties;
    }

    /** Returns the problem of a configured compression whose library is missing. */
    static Optional<String> missingLibrary(PluginConfig config) {
        return Optional.ofNullable(of(config).get(ProducerConfig.COMPRESSION_TYPE_CONFIG))
                .flatMap(type -> Optional.ofNullable(LIBRARIES.get(type))
                        .filter(library -> !library.isThere())
                        .map(library ->
                                "%scompression.type: %s needs a library that spream-sink-kafka does not bring: add the jar of %s to the plug-in's folder or the class path, or use gzip"
                                        .formatted(PREFIX, type, library.artifact())));
    }

    private record Library(String className, String artifact) {
        boolean isThere() {
            try {
                Class.forName(className, false, ClientProperties.class.getClassLoader());
                return true;
            } catch (ClassNotFoundException e) {
                return false;
            }
        }
    }

    /** Returns the texts that no message may show, the longest first; of a login all words but the names in it. */
    static List<String> secrets(Map<String, String> properties) {
        return KEYS.entrySet().stream()
                .filter(key -> key.getValue().isSecret())
                .flatMap(key -> Optional.ofNullable(properties.get(key.getKey())).stream()
                        .flatMap(secret -> key.getKey().equals(SaslConfigs.SASL_JAAS_CONFIG)
                                ? LOGIN_SEPARATOR
                                        .splitAsStream(secret)
                                        .filter(word ->
                                                !LOGIN_NAME.matcher(word).matches())
                                : Stream.of(secret.strip())))
                .filter(secret -> secret.length() >= SHORTEST_SECRET)
                .sorted(Comparator.comparingInt(String::length).reversed())
                .toList();
    }

    static List<ConfigKey<String>> all() {
        return List.copyOf(KEYS.values());
    }
}
