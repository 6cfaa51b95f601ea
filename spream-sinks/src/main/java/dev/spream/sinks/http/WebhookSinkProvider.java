package dev.spream.sinks.http;

import com.google.auto.service.AutoService;
import dev.spream.api.format.ConfiguredFormat;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.ConsumerProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.core.consume.Consumer;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The sink {@code webhook}: each change as the JSON body of a POST, in the shape of the documentation's {@code
 * data_change_record}. With another {@code format} a POST for each row, one after the other: the change is settled when
 * all were accepted, and after a failure all of them are sent again.
 *
 * <p>Every request has an {@code Idempotency-Key}, the change's {@linkplain
 * dev.spream.core.record.DataChangeRecord#identity() identity}, by which a server recognises a repeated change; a row's ends in
 * its place, {@code Spream-Mod-Index}, of {@code Spream-Number-Of-Mods}. There are
 * {@code Spream-Table} and {@code Spream-Mod-Type}, by which it can be routed. {@code Spream-Commit-Timestamp}, always
 * with nine digits of a second, and {@code Spream-Record-Sequence} order the changes of a key, compared as texts;
 * {@code Spream-Partition} and {@code Spream-Epoch} distinguish a worker that lost its lease from the current one; the
 * epoch is 0 for a dead letter that is replayed. A server needs them because a request that was abandoned after {@code
 * timeout} may still be in progress there when the next attempt, or a later change of the key, arrives.
 *
 * <p>A status of 2xx settles the change. 400, 409, 410, 413, 415 and 422 judge the request itself and refuse the change
 * permanently. Any other status concerns the receiver or the way to it: an expired token (401, 403, 407), a missing
 * deployment (404, 405), a redirect, which is not followed, a server that is busy or broken (408, 425, 429, 5xx).
 * These, failed connections and timeouts are retried up to {@code retry.max-attempts}, no sooner than {@code
 * Retry-After} states, which counts up to an hour.
 *
 * <p>Responses are not shown, since they may repeat the contents of the change; nor are paths, queries and headers,
 * which may be secret.
 */
@AutoService(ConsumerProvider.class)
public final class WebhookSinkProvider implements ConsumerProvider {
    private static final ConfigType<URI> WEB_URL = ConfigType.url("http", "https");
    private static final ConfigType<URI> URL_TYPE = new ConfigType<>(
            WEB_URL.label() + "; user and password belong in sink.webhook.authorization",
            text -> WebUrl.requireTarget("url", WEB_URL.read(text)),
            WEB_URL.writer());
    private static final ConfigKey<URI> URL = ConfigKey.of(
                    "url",
                    URL_TYPE,
                    "URL to which changes are posted. User and password belong in authorization, not in the URL.")
            .required()
            .showing(WebUrl::shown);
    private static final ConfigKey<Duration> TIMEOUT = ConfigKey.of(
                    "timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(10)),
                    "Time limit of a request, from its start to the end of the response. A receiver that is still working on it then may get later changes of the key at the same time; docs/webhook.md describes how to refuse late requests.")
            .withDefault(Duration.ofSeconds(10));
    private static final ConfigKey<Duration> CONNECT_TIMEOUT = ConfigKey.of(
                    "connect-timeout",
                    ConfigType.duration(Duration.ofMillis(100), Duration.ofMinutes(1)),
                    "Time limit of connecting.")
            .withDefault(Duration.ofSeconds(5));

    @Override
    public String name() {
        return "webhook";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return Stream.concat(
                        Stream.of(
                                URL,
                                TIMEOUT,
                                CONNECT_TIMEOUT,
                                ConfiguredHeaders.AUTHORIZATION,
                                ConfiguredHeaders.HEADERS),
                        ConfiguredFormat.keys().stream())
                .toList();
    }

    @Override
    public List<String> problems(PluginConfig config) {
        List<String> problems = new ArrayList<>(ConfiguredFormat.problems(config));
        try {
            WebhookTarget.headers(config);
        } catch (IllegalArgumentException e) {
            problems.add(String.valueOf(e.getMessage()));
        }
        return problems;
    }

    @Override
    public Consumer create(PluginConfig config, PluginContext context) {
        return WebhookSink.open(
                WebhookTarget.of(config.get(URL), WebhookTarget.headers(config)),
                ConfiguredFormat.ofRows(config, context),
                config.get(TIMEOUT),
                config.get(CONNECT_TIMEOUT),
                context.clock());
    }
}
