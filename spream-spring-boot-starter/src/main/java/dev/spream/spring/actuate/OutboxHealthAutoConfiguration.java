package dev.spream.spring.actuate;

import dev.spream.spring.outbox.OutboxWorkerHealth;
import dev.spream.spring.outbox.OutboxWorkers;
import java.time.InstantSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Contributes the health of the outbox worker, unless {@code management.health.outbox.enabled} is false. */
@AutoConfiguration(afterName = "dev.spream.spring.jdbc.OutboxAutoConfiguration")
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnEnabledHealthIndicator("outbox")
@ConditionalOnProperty(name = "spream.outbox.enabled", havingValue = "true")
public final class OutboxHealthAutoConfiguration {
    /** Creates the configuration; called by Spring. */
    public OutboxHealthAutoConfiguration() {}

    @Bean
    OutboxWorkerHealth spreamOutboxWorkerHealth() {
        return new OutboxWorkerHealth(InstantSource.system());
    }

    @Bean
    @ConditionalOnBean(OutboxWorkers.class)
    @ConditionalOnMissingBean
    OutboxHealthIndicator outboxHealthIndicator(OutboxWorkers worker, OutboxWorkerHealth events) {
        return new OutboxHealthIndicator(worker, events);
    }
}
