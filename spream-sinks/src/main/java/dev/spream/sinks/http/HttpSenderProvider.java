package dev.spream.sinks.http;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.outbox.OutboxSender;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The sender {@code http}: each entry of an outbox as a request to a web service, as {@link HttpSender} documents it.
 */
@AutoService(OutboxSenderProvider.class)
public final class HttpSenderProvider implements OutboxSenderProvider {
    private static final ConfigKey<String> URL = ConfigKey.of(
                    "url",
                    template("url"),
                    "URL of the receiver; {key} in its path or query is replaced by the Idempotency-Key.")
            .required()
            .showing(UrlTemplate::shown);
    private static final ConfigKey<HttpSender.Method> METHOD = ConfigKey.of(
                    "method", ConfigType.choice(HttpSender.Method.class), "HTTP method of the requests.")
            .withDefault(HttpSender.Method.POST);
    private static final ConfigKey<Duration> CONNECT_TIMEOUT = ConfigKey.of(
                    "connect-timeout",
                    ConfigType.duration(Duration.ofMillis(10), Duration.ofMinutes(1)),
                    "Time limit of connecting, within outbox.send-timeout.")
            .withDefault(Duration.ofSeconds(1));
    private static final ConfigKey<OutboxSender.Guarantee> GUARANTEE = ConfigKey.of(
                    "guarantee",
                    ConfigType.choice(OutboxSender.Guarantee.class),
                    "Guarantee of the receiver for an entry that reaches it twice: idempotent, one effect per"
                            + " Idempotency-Key; queryable, two effects, and it can be queried before a repeat; neither, two"
                            + " effects, and an operator decides.")
            .withDefault(OutboxSender.Guarantee.IDEMPOTENT);
    private static final ConfigKey<String> QUERY_URL = ConfigKey.of(
                    "query-url",
                    template("query-url"),
                    "URL at which a queryable receiver is queried by GET for the outcome of an entry; {key} is"
                            + " replaced by its Idempotency-Key.")
            .showing(UrlTemplate::shown);
    private static final ConfigKey<Set<Integer>> QUERY_NOT_THERE_STATUSES = ConfigKey.of(
                    "query-not-there-statuses",
                    statuses(),
                    "Statuses of a query that mean that the receiver does not have the entry; it is then sent"
                            + " again.")
            .withDefault(Set.of(404));
    private static final ConfigKey<Set<Integer>> QUERY_REFUSED_STATUSES = ConfigKey.of(
            "query-refused-statuses",
            statuses(),
            "Statuses of a query that mean that the receiver has refused the entry permanently.");
    private static final ConfigKey<Set<Integer>> RETRYABLE_STATUSES = ConfigKey.of(
            "retryable-statuses",
            statuses(),
            "Additional statuses that mean that the receiver has not accepted the entry and that a retry may"
                    + " succeed.");
    private static final ConfigKey<Set<Integer>> PERMANENT_STATUSES = ConfigKey.of(
            "permanent-statuses",
            statuses(),
            "Additional statuses that mean that the receiver has not accepted the entry and never will.");
    private static final ConfigKey<Set<Integer>> UNKNOWN_STATUSES = ConfigKey.of(
            "unknown-statuses",
            statuses(),
            "Additional statuses that leave open whether the receiver has accepted the entry, such as 503 from some"
                    + " proxies.");

    /**
     * Returns a type whose label names all possible problems: it is the only explanation shown for a URL that is not
     * shown in full.
     */
    private static ConfigType<String> template(String key) {
        return new ConfigType<>(
                "URL, http or https; user and password belong in sender.http.authorization",
                text -> {
                    UrlTemplate.parse(key, text);
                    return text;
                },
                text -> text);
    }

    private static ConfigType<Set<Integer>> statuses() {
        ConfigType<Integer> one = ConfigType.integer(StatusTable.MIN, StatusTable.MAX);
        ConfigType<List<String>> list = ConfigType.list();
        return new ConfigType<>(
                "statuses, %d to %d, with commas between".formatted(StatusTable.MIN, StatusTable.MAX),
                text -> list.read(text).stream().map(one::read).collect(Collectors.toUnmodifiableSet()),
                statuses -> list.write(
                        new TreeSet<>(statuses).stream().map(one::write).toList()));
    }

    @Override
    public String name() {
        return "http";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(
                URL,
                METHOD,
                CONNECT_TIMEOUT,
                ConfiguredHeaders.AUTHORIZATION,
                ConfiguredHeaders.HEADERS,
                GUARANTEE,
                QUERY_URL,
                QUERY_NOT_THERE_STATUSES,
                QUERY_REFUSED_STATUSES,
                RETRYABLE_STATUSES,
                PERMANENT_STATUSES,
                UNKNOWN_STATUSES);
    }

    @Override
    public List<String> problems(PluginConfig config) {
        try {
            builder(config).check();
            return List.of();
        } catch (IllegalArgumentException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }

    @Override
    public OutboxSender create(PluginConfig config, PluginContext context) {
        return builder(config).clock(context.clock()).build();
    }

    private static HttpSender.Builder builder(PluginConfig config) {
        HttpSender.Builder sender = HttpSender.builder(config.get(URL))
                .method(config.get(METHOD))
                .connectTimeout(config.get(CONNECT_TIMEOUT))
                .headers(config.find(ConfiguredHeaders.HEADERS).orElse(List.of()))
                .guarantee(config.get(GUARANTEE))
                .queryNotThereStatuses(config.get(QUERY_NOT_THERE_STATUSES))
                .queryRefusedStatuses(config.find(QUERY_REFUSED_STATUSES).orElse(Set.of()))
                .retryableStatuses(config.find(RETRYABLE_STATUSES).orElse(Set.of()))
                .permanentStatuses(config.find(PERMANENT_STATUSES).orElse(Set.of()))
                .unknownStatuses(config.find(UNKNOWN_STATUSES).orElse(Set.of()));
        config.find(ConfiguredHeaders.AUTHORIZATION).ifPresent(sender::authorization);
        config.find(QUERY_URL).ifPresent(sender::queryUrl);
        return sender;
    }
}
