package dev.spream.api.config;

import dev.spream.api.config.Origin.Layer;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * An environment variable without spream's prefix that existing deployments use.
 *
 * @param key the full name of the key that it sets
 * @param writing converts the variable's text to the key's; empty if the text does not concern the key
 */
record NamedVariable(String name, String key, UnaryOperator<String> writing) {
    /**
     * The variables of an outbox worker, whose names contain their units. Text that cannot be converted is passed to
     * the key unchanged, for its validation.
     */
    static final List<NamedVariable> OF_OUTBOX = List.of(
            new NamedVariable("OUTBOX_ENABLED", "outbox.enabled", NamedVariable::flag),
            new NamedVariable("OUTBOX_CONCURRENCY", "outbox.concurrency", text -> text),
            new NamedVariable("OUTBOX_BATCH", "outbox.batch", text -> text),
            new NamedVariable("OUTBOX_POLL_INTERVAL_SEC", "outbox.poll-interval", NamedVariable::seconds),
            new NamedVariable("OUTBOX_LOCK_LEASE_SEC", "outbox.lease", NamedVariable::seconds),
            new NamedVariable("OUTBOX_MAX_ATTEMPTS", "outbox.max-attempts", text -> text),
            new NamedVariable("OUTBOX_BACKOFF_SEC", "outbox.backoff", NamedVariable::listOfSeconds),
            new NamedVariable("BROKER_TIMEOUT_MS", "outbox.send-timeout", NamedVariable::millis));

    /**
     * The variables of a projection service. Some of these names are common in other environments, so they apply only
     * if a program enables them.
     */
    static final List<NamedVariable> OF_PROJECTIONS = List.of(
            new NamedVariable("DATABASE_URL", "projections.jdbc.url", DatabaseUrl::address),
            new NamedVariable("DATABASE_URL", "projections.jdbc.user", DatabaseUrl::user),
            new NamedVariable("DATABASE_URL", "projections.jdbc.password", DatabaseUrl::password),
            new NamedVariable("EVENT_STORE_URL", "events.jdbc.url", DatabaseUrl::address),
            new NamedVariable("EVENT_STORE_URL", "events.jdbc.user", DatabaseUrl::user),
            new NamedVariable("EVENT_STORE_URL", "events.jdbc.password", DatabaseUrl::password),
            new NamedVariable("PUBSUB_PROJECT_ID", "event-source.pubsub.project", text -> text),
            new NamedVariable("PUBSUB_SUBSCRIPTION", "event-source.pubsub.subscription", text -> text),
            new NamedVariable("PUBSUB_ACK_DEADLINE", "event-source.pubsub.ack-deadline", text -> text),
            new NamedVariable("MEILISEARCH_URL", "search.meilisearch.url", text -> text),
            new NamedVariable("MEILISEARCH_API_KEY", "search.meilisearch.api-key", text -> text),
            new NamedVariable("MAX_RETRY_ATTEMPTS", "projections.max-attempts", NamedVariable::withTheFirst),
            new NamedVariable("INITIAL_RETRY_DELAY", "projections.initial-delay", text -> text),
            new NamedVariable("MAX_RETRY_DELAY", "projections.max-delay", text -> text));

    private static final Pattern COUNT = Pattern.compile("\\d{1,8}");

    /** Returns the settings of the variables by key; empty variables are ignored. */
    static Map<String, RawSetting> settings(List<NamedVariable> known, Map<String, String> variables) {
        Map<String, RawSetting> settings = new LinkedHashMap<>();
        for (NamedVariable variable : known) {
            String text = variables.getOrDefault(variable.name(), "").strip();
            String written = text.isEmpty() ? "" : variable.writing().apply(text);
            if (!written.isEmpty()) {
                Origin origin = new Origin(Layer.ENVIRONMENT, settings.size(), variable.name());
                settings.put(variable.key(), new RawSetting(variable.name(), written, origin));
            }
        }
        return settings;
    }

    private static String flag(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "1", "true", "yes", "on" -> "true";
            case "0", "false", "no", "off" -> "false";
            default -> text;
        };
    }

    private static String seconds(String text) {
        try {
            BigDecimal seconds = new BigDecimal(text);
            return seconds.stripTrailingZeros().scale() <= 0
                    ? seconds.toBigIntegerExact() + "s"
                    : seconds.movePointRight(3).toBigIntegerExact() + "ms";
        } catch (ArithmeticException | NumberFormatException e) {
            return text;
        }
    }

    private static String listOfSeconds(String text) {
        String inner = text.startsWith("[") && text.endsWith("]") ? text.substring(1, text.length() - 1) : text;
        return Arrays.stream(inner.split(",", -1))
                .map(String::strip)
                .map(NamedVariable::seconds)
                .collect(Collectors.joining(","));
    }

    private static String millis(String text) {
        return text.chars().allMatch(Character::isDigit) ? text + "ms" : text;
    }

    /** Adds the first attempt, which these variables do not count. */
    private static String withTheFirst(String retries) {
        return COUNT.matcher(retries).matches() ? String.valueOf(Long.parseLong(retries) + 1) : retries;
    }
}
