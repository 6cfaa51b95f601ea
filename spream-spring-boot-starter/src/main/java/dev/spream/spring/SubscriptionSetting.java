package dev.spream.spring;

/**
 * A property of a subscription.
 *
 * @param key the key of spream's configuration, or the text that is no known key
 * @param value with Spring's placeholders resolved, and spream's references to files and variables as they are
 * @param origin the place, for messages
 */
record SubscriptionSetting(String key, String value, String origin) {
    /** Without the value, which may be secret. */
    @Override
    public String toString() {
        return "%s (%s)".formatted(key, origin);
    }
}
