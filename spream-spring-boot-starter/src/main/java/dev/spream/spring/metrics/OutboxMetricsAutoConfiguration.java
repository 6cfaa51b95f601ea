package dev.spream.spring.metrics;

import dev.spream.api.metrics.OutboxMetrics;
import dev.spream.outbox.OutboxOperations;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Publishes the meters of the outbox and its worker to the application's registry, with the tag {@code outbox}. */
@AutoConfiguration(
        afterName = {
            "dev.spream.spring.jdbc.OutboxAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
@ConditionalOnProperty(name = "spream.outbox.enabled", havingValue = "true")
public final class OutboxMetricsAutoConfiguration {
    /** Creates the configuration; called by Spring. */
    public OutboxMetricsAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    OutboxMetrics spreamOutboxMetrics(MeterRegistry registry) {
        return OutboxMetrics.of(registry, "spream");
    }

    @Bean
    @ConditionalOnBean(OutboxOperations.class)
    OutboxSampler spreamOutboxSampler(OutboxOperations operations, OutboxMetrics metrics) {
        return new OutboxSampler(operations, metrics);
    }
}
