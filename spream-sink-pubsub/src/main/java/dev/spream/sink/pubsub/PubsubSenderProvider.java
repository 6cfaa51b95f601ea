package dev.spream.sink.pubsub;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.OutboxSenderProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxSender.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The sender {@code pubsub}: each entry of an outbox as a message on a topic of Google Cloud Pub/Sub. The body is the
 * payload; the ordering key is the entry's, if it has one.
 *
 * <p>Attributes: {@code idempotency-key}; {@code generation}, 1, and one more each time the entry was requeued after it
 * had been aborted; {@code entry-id}, greater than those of earlier entries of the ordering key; {@code created-at}; and,
 * if the entry has them, {@code payload-type}, {@code destination} and {@code traceparent}. Values of more than 1,024
 * bytes, the limit of Pub/Sub, are replaced by {@code sha256/} and the SHA-256 of their UTF-8 bytes in hexadecimal digits.
 *
 * <p>Pub/Sub stores a message that is published twice as two messages. So an entry has one effect only if its
 * subscribers recognise a repeated message by key and generation; the guarantee {@code neither} is for subscribers that
 * do not: an entry that may have been published is then parked. Only the worker repeats requests.
 *
 * <table>
 * <caption>What Pub/Sub's answer makes of an attempt</caption>
 * <tr><th>answer</th><th>outcome</th><th>reason</th></tr>
 * <tr><td>the message's id</td><td>succeeded; the ledger keeps {@code {"messageId":"…"}}</td><td></td></tr>
 * <tr><td>INVALID_ARGUMENT; a request of more than 10,000,000 bytes, which is not sent</td><td>permanent</td>
 *     <td>INVALID_REQUEST</td></tr>
 * <tr><td>RESOURCE_EXHAUSTED</td><td>retryable</td><td>RATE_LIMITED</td></tr>
 * <tr><td>PERMISSION_DENIED, UNAUTHENTICATED</td><td>retryable: an operator fixes it</td><td>UNAUTHORIZED</td></tr>
 * <tr><td>NOT_FOUND, FAILED_PRECONDITION</td><td>retryable: an operator fixes it</td><td>UNAVAILABLE</td></tr>
 * <tr><td>no connection, no such host; no room among {@code max-requests} in time</td><td>retryable: nothing left</td>
 *     <td>UNAVAILABLE</td></tr>
 * <tr><td>no answer in time, DEADLINE_EXCEEDED</td><td>unknown</td><td>TIMEOUT</td></tr>
 * <tr><td>UNAVAILABLE otherwise, and any other</td><td>unknown</td><td>OUTCOME_UNKNOWN</td></tr>
 * </table>
 */
@AutoService(OutboxSenderProvider.class)
public final class PubsubSenderProvider implements OutboxSenderProvider {
    private static final String NEITHER = "neither";
    private static final String IDEMPOTENT = "idempotent";
    private static final Duration LONGEST_ANSWER = Duration.ofMinutes(1);

    private static final ConfigKey<Boolean> ORDERING = ConfigKey.of(
                    "ordering",
                    ConfigType.flag(),
                    "Whether the ordering key of an entry becomes that of its message, for subscriptions with"
                            + " message ordering.")
            .withDefault(true);
    private static final ConfigKey<String> GUARANTEE = ConfigKey.of(
                    "guarantee",
                    ConfigType.name(List.of(IDEMPOTENT, NEITHER)),
                    "Guarantee of the subscribers for a message that arrives twice: idempotent, one effect per"
                            + " idempotency-key and generation; neither, two effects, and an operator decides when the"
                            + " outcome of publishing is unknown.")
            .withDefault(IDEMPOTENT);

    @Override
    public String name() {
        return "pubsub";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(
                PubsubKeys.TOPIC,
                PubsubKeys.ENDPOINT,
                PubsubKeys.EMULATOR_HOST,
                PubsubKeys.CREDENTIALS_FILE,
                PubsubKeys.CHECK_TOPIC,
                GUARANTEE,
                ORDERING,
                PubsubKeys.MAX_REQUESTS,
                PubsubKeys.COMPRESSION);
    }

    @Override
    public OutboxSender create(PluginConfig config, PluginContext context) throws Exception {
        return new PubsubSender(
                TopicCheck.open(config, options(config, PubsubKeys.emulatorOfEnvironment())),
                config.get(GUARANTEE).equals(NEITHER) ? Guarantee.NEITHER : Guarantee.IDEMPOTENT,
                config.get(ORDERING));
    }

    static PubsubOptions options(PluginConfig config, Optional<String> emulatorOfEnvironment) {
        return new PubsubOptions(
                PubsubOptions.Use.SENDER,
                config.get(PubsubKeys.TOPIC),
                PubsubKeys.server(config, emulatorOfEnvironment),
                LONGEST_ANSWER,
                config.get(PubsubKeys.MAX_REQUESTS),
                1,
                TopicClient.MAX_REQUEST_BYTES,
                config.get(PubsubKeys.COMPRESSION));
    }
}
