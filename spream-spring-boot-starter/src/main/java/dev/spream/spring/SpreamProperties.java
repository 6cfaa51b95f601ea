package dev.spream.spring;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the starter itself. Those of subscriptions are below {@code spream.subscriptions} and {@code
 * spream.defaults}, with the keys of spream's configuration.
 *
 * @param enabled whether subscriptions are assembled at all
 * @param autoStartup whether they start with the application context
 * @param failureAction the action after a subscription has failed for good
 */
@ConfigurationProperties("spream")
public record SpreamProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("true") boolean autoStartup,
        @DefaultValue("report") FailureAction failureAction) {

    /** The action after a subscription has failed for good; its failure is logged, and its health is DOWN, in any case. */
    public enum FailureAction {
        /** The application continues without the subscription. */
        REPORT,
        /** The application context is closed: the other subscriptions drain. */
        CLOSE,
        /** The application context is closed, and the process exits with code 1. */
        EXIT
    }
}
