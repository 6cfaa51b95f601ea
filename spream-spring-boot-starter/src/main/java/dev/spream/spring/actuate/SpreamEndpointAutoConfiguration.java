package dev.spream.spring.actuate;

import dev.spream.spring.SpreamAutoConfiguration;
import dev.spream.spring.SpreamSubscriptions;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Adds the endpoint {@code spream}, which Actuator exposes over HTTP only if it is told to. */
@AutoConfiguration(after = SpreamAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(endpoint = SpreamEndpoint.class)
@ConditionalOnBean(SpreamSubscriptions.class)
public final class SpreamEndpointAutoConfiguration {
    /** Creates the configuration; called by Spring. */
    public SpreamEndpointAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    SpreamEndpoint spreamEndpoint(SpreamSubscriptions subscriptions) {
        return new SpreamEndpoint(subscriptions);
    }
}
