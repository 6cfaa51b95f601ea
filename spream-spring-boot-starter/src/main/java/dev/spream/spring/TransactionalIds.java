package dev.spream.spring;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The transactional ids of the subscriptions of an application. Two that publish with one id to the same brokers would
 * fence each other's producers in turn. Confined to one thread.
 */
final class TransactionalIds {
    private static final String SINK = "sink";
    private static final String KAFKA = "kafka";
    private static final String KEY = "sink.kafka.transactional-id";
    private static final String SERVERS = "sink.kafka.bootstrap-servers";

    private final Map<Transactions, String> subscriptions = new HashMap<>();

    /** Notes the id of a subscription; returns the problem if another one has it. */
    Optional<String> add(String name, Map<String, SubscriptionSetting> own) {
        SubscriptionSetting id = own.get(KEY);
        if (id == null || !value(own, SINK).equals(KAFKA)) {
            return Optional.empty();
        }
        return Optional.ofNullable(subscriptions.putIfAbsent(new Transactions(value(own, SERVERS), id.value()), name))
                .map(other ->
                        "%s: %s is '%s' (%s), that of %s as well: each would end the other's transactions; set spream.subscriptions.%s.%s to an id of its own"
                                .formatted(name, KEY, id.value(), id.origin(), other, name, KEY));
    }

    private static String value(Map<String, SubscriptionSetting> own, String key) {
        return Optional.ofNullable(own.get(key)).map(SubscriptionSetting::value).orElse("");
    }

    private record Transactions(String servers, String id) {}
}
