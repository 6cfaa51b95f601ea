package dev.spream.spring.metrics;

import dev.spream.api.metrics.SpreamMetrics;
import dev.spream.spring.SpreamAutoConfiguration;
import dev.spream.spring.SpreamCustomizer;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Publishes the meters of every subscription to the application's registry, under the subscription's name. */
@AutoConfiguration(
        before = SpreamAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration"
        })
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(MeterRegistry.class)
public final class SpreamMetricsAutoConfiguration {
    /** Creates the configuration; called by Spring. */
    public SpreamMetricsAutoConfiguration() {}

    @Bean
    SpreamCustomizer spreamMetrics(MeterRegistry registry) {
        return (subscription, builder) -> builder.listener(SpreamMetrics.of(registry, subscription));
    }
}
