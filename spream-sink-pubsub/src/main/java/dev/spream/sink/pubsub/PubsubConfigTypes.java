package dev.spream.sink.pubsub;

import dev.spream.api.spi.ConfigType;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How this module's own values are written in a configuration. */
final class PubsubConfigTypes {
    private static final Pattern HOST_AND_PORT = Pattern.compile("[^/\\s]+:(?<port>\\d{1,5})");
    private static final int MAX_PORT = 65_535;

    private PubsubConfigTypes() {}

    static ConfigType<PubsubTopic> topic() {
        return new ConfigType<>(PubsubTopic.FORM, PubsubTopic::parse, PubsubTopic::toString);
    }

    /** Subscriptions by projection, or one alone. */
    static ConfigType<SubscriptionNames> subscriptions() {
        return new ConfigType<>(SubscriptionNames.FORM, SubscriptionNames::parse, SubscriptionNames::toString);
    }

    /** A server without a scheme before it, as {@code PUBSUB_EMULATOR_HOST} has it. */
    static ConfigType<String> hostAndPort() {
        return new ConfigType<>("host:port", PubsubConfigTypes::requireHostAndPort, host -> host);
    }

    private static String requireHostAndPort(String text) {
        Matcher matcher = HOST_AND_PORT.matcher(text);
        int port = matcher.matches() ? Integer.parseInt(matcher.group("port")) : 0;
        if (port < 1 || port > MAX_PORT) {
            throw new IllegalArgumentException("expected host:port, such as localhost:8085");
        }
        return text;
    }
}
