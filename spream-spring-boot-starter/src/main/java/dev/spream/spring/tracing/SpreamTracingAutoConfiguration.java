package dev.spream.spring.tracing;

import dev.spream.api.tracing.SpreamTracing;
import dev.spream.spring.SpreamAutoConfiguration;
import dev.spream.spring.SpreamCustomizer;
import io.opentelemetry.api.OpenTelemetry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Creates a span for every delivery, if the application has an OpenTelemetry bean, as Spring Boot's starter makes one. */
@AutoConfiguration(
        before = SpreamAutoConfiguration.class,
        afterName = "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration")
@ConditionalOnClass(OpenTelemetry.class)
@ConditionalOnBean(OpenTelemetry.class)
public final class SpreamTracingAutoConfiguration {
    /** Creates the configuration; called by Spring. */
    public SpreamTracingAutoConfiguration() {}

    @Bean
    SpreamCustomizer spreamTracing(OpenTelemetry telemetry) {
        return (subscription, builder) -> builder.around(
                consumer -> SpreamTracing.of(telemetry, subscription).around(consumer));
    }
}
