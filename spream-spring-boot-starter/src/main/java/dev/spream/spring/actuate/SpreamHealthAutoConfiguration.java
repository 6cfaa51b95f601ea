package dev.spream.spring.actuate;

import dev.spream.spring.SpreamAutoConfiguration;
import dev.spream.spring.SpreamSubscriptions;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Contributes the health of the subscriptions, unless {@code management.health.spream.enabled} is false. */
@AutoConfiguration(after = SpreamAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("spream")
@ConditionalOnBean(SpreamSubscriptions.class)
public final class SpreamHealthAutoConfiguration {
    /** Creates the configuration; called by Spring. */
    public SpreamHealthAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    SpreamHealthIndicator spreamHealthIndicator(SpreamSubscriptions subscriptions) {
        return new SpreamHealthIndicator(subscriptions);
    }
}
