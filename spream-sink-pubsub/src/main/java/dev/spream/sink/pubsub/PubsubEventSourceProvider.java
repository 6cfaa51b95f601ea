package dev.spream.sink.pubsub;

import com.google.auto.service.AutoService;
import dev.spream.api.spi.ConfigKey;
import dev.spream.api.spi.ConfigType;
import dev.spream.api.spi.EventSourceProvider;
import dev.spream.api.spi.PluginConfig;
import dev.spream.api.spi.PluginContext;
import dev.spream.projection.event.EventSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The event source {@code pubsub}: messages of subscriptions of Google Cloud Pub/Sub, one subscription for each
 * projection. A message is acknowledged when its event is permanently applied or parked.
 *
 * <p>The data of a message are a complete event, as {@link dev.spream.projection.event.EventJson} reads it: attributes
 * add nothing. Other data are undecodable, and kept with the attributes under the message's id. The ordering key is the
 * aggregate's id, or any key that all events of an aggregate share: within a key, Pub/Sub delivers in the order of
 * publication if the subscription has message ordering. If an event is nevertheless delivered early, its aggregate
 * waits for the earlier ones.
 *
 * <p>Pub/Sub has no positions: processes that run a projection share its subscription, and unacknowledged messages are
 * delivered again, from the first one of an ordering key on. Exactly-once delivery is possible but not needed, because
 * repeated events are recognised. With it, Pub/Sub may refuse a late acknowledgement, which is logged.
 *
 * <p>Google's client retries silently while it cannot reach the server: a projection that is caught up has processed
 * everything that was received. Monitor the age of the oldest unacknowledged message in Google Cloud too.
 *
 * <p>The account needs {@code roles/pubsub.subscriber} on each subscription, and {@code roles/pubsub.viewer} to check
 * it at the start.
 */
@AutoService(EventSourceProvider.class)
public final class PubsubEventSourceProvider implements EventSourceProvider {
    private static final ConfigKey<String> PROJECT = ConfigKey.of(
                    "project", ConfigType.text(), "The Google Cloud project of the subscriptions.")
            .required();
    private static final ConfigKey<SubscriptionNames> SUBSCRIPTION = ConfigKey.of(
                    "subscription",
                    new ConfigType<>(SubscriptionNames.FORM, SubscriptionNames::parse, SubscriptionNames::toString),
                    "The subscriptions of projections, or one alone where there is one projection.")
            .withDefaultMeaning("the name of the projection");
    private static final ConfigKey<Boolean> REQUIRE_ORDERING = ConfigKey.of(
                    "require-ordering",
                    ConfigType.flag(),
                    "Whether a subscription without message ordering is refused.")
            .withDefault(true);
    private static final ConfigKey<Integer> MAX_MESSAGES = ConfigKey.of(
                    "max-messages",
                    ConfigType.integer(1, 1_000_000),
                    "Maximum number of unacknowledged messages of a projection.")
            .withDefault(5_000);
    private static final ConfigKey<Long> MAX_BYTES = ConfigKey.of(
                    "max-bytes", ConfigType.size(1 << 20, 1L << 40), "Maximum total size of unacknowledged messages.")
            .withDefault(64L << 20);
    private static final ConfigKey<Duration> ACK_DEADLINE = ConfigKey.of(
                    "ack-deadline",
                    ConfigType.duration(Duration.ofSeconds(10), Duration.ofMinutes(10)),
                    "Time without an extension after which the messages of a process are redelivered. A live"
                            + " process extends it continually.")
            .withDefault(Duration.ofMinutes(1));
    private static final ConfigKey<Duration> MAX_HOLD = ConfigKey.of(
                    "max-hold",
                    ConfigType.duration(Duration.ofMinutes(1), Duration.ofDays(7)),
                    "Maximum time that a message is held while its projection cannot apply it; it is then"
                            + " redelivered.")
            .withDefault(Duration.ofHours(1));

    @Override
    public String name() {
        return "pubsub";
    }

    @Override
    public List<ConfigKey<?>> keys() {
        return List.of(
                PROJECT,
                SUBSCRIPTION,
                PubsubKeys.ENDPOINT,
                PubsubKeys.EMULATOR_HOST,
                PubsubKeys.CREDENTIALS_FILE,
                REQUIRE_ORDERING,
                MAX_MESSAGES,
                MAX_BYTES,
                ACK_DEADLINE,
                MAX_HOLD);
    }

    @Override
    public EventSource create(PluginConfig config, PluginContext context) throws Exception {
        return PubsubEventSource.open(options(config, PubsubKeys.emulatorOfEnvironment()));
    }

    static EventSourceOptions options(PluginConfig config, Optional<String> emulatorOfEnvironment) {
        return new EventSourceOptions(
                config.get(PROJECT),
                config.find(SUBSCRIPTION).orElse(SubscriptionNames.DEFAULT),
                PubsubKeys.server(config, emulatorOfEnvironment),
                config.get(MAX_MESSAGES),
                config.get(MAX_BYTES),
                config.get(ACK_DEADLINE),
                config.get(MAX_HOLD),
                config.get(REQUIRE_ORDERING));
    }
}
