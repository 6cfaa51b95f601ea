package dev.spream.format.schema;

import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The keys of a schema registry. A format returns {@link #ALL} with its own keys, reports the {@link #problems}, and opens
 * the registry with {@link #registry}.
 */
public final class RegistryKeys {
    private static final ConfigKey<URI> REGISTRY = ConfigKey.of(
            "schema-registry.url",
            ConfigType.url("http", "https"),
            "Schema registry with the API of Confluent's, in which the schemas of messages are registered.");
    private static final ConfigKey<String> USER =
            ConfigKey.of("schema-registry.user", ConfigType.text(), "User, or API key, of the schema registry.");
    private static final ConfigKey<String> PASSWORD = ConfigKey.of(
                    "schema-registry.password", ConfigType.text(), "Password, or API secret, of the user.")
            .secret();
    private static final ConfigKey<Boolean> REGISTER = ConfigKey.of(
                    "schema-registry.register",
                    ConfigType.flag(),
                    "Whether new schemas are registered; otherwise they have to be registered before their first message.")
            .withDefaultMeaning("true");
    private static final ConfigKey<Duration> TIMEOUT = ConfigKey.of(
                    "schema-registry.timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(5)),
                    "Time limit of a request to the schema registry.")
            .withDefaultMeaning("10s");

    /** The keys that a format adds to its own. */
    public static final List<ConfigKey<?>> ALL = List.of(REGISTRY, USER, PASSWORD, REGISTER, TIMEOUT);

    private RegistryKeys() {}

    /** Returns the problems of the keys, for {@link dev.spream.api.spi.PluginProvider#problems}. */
    public static List<String> problems(PluginConfig config) {
        List<String> problems = new ArrayList<>();
        if (config.find(USER).isPresent() != config.find(PASSWORD).isPresent()) {
            problems.add("schema-registry.user: configure schema-registry.password as well, or neither of them");
        }
        if (config.find(REGISTRY).isEmpty()) {
            Stream.of(USER, PASSWORD, REGISTER, TIMEOUT)
                    .filter(key -> config.find(key).isPresent())
                    .forEach(key -> problems.add("%s: used with schema-registry.url only".formatted(key)));
        }
        config.find(REGISTRY)
                .filter(url ->
                        url.getRawUserInfo() != null || url.getRawQuery() != null || url.getRawFragment() != null)
                .ifPresent(
                        url -> problems.add(
                                "schema-registry.url: user and password belong in schema-registry.user and schema-registry.password; there is no query"));
        return problems;
    }

    /** Returns the configured registry, which is closed with the format; empty if none is configured. */
    public static Optional<SchemaRegistry> registry(PluginConfig config, PluginContext context, SchemaType type) {
        return config.find(REGISTRY).map(url -> {
            SchemaRegistry registry = SchemaRegistry.of(
                    url,
                    type,
                    config.find(USER).map(user -> new SchemaRegistry.Login(user, config.get(PASSWORD))),
                    config.find(REGISTER).orElse(true),
                    config.find(TIMEOUT).orElse(Duration.ofSeconds(10)));
            context.onClose(registry);
            return registry;
        });
    }
}
