package dev.spream.spring;

import dev.spream.api.Spream;

/**
 * Changes how a subscription is assembled; every bean of this type is called for every subscription, in the order of
 * {@link org.springframework.core.annotation.Order}, once, before the configuration is validated.
 */
@FunctionalInterface
public interface SpreamCustomizer {
    /**
     * Changes the subscription, such as by a listener or around its consumer.
     *
     * @param subscription its name, as in {@code spream.subscriptions.<name>}
     */
    void customize(String subscription, Spream.Builder builder);
}
