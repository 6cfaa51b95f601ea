package dev.spream.cli.service;

import dev.spream.api.tracing.OutboxTracing;
import dev.spream.api.tracing.SpreamTracing;
import dev.spream.core.consume.Consumer;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.util.Optional;

/** Spans of the deliveries or sends of a command, if the process was started with an OpenTelemetry agent. */
public final class Tracing {
    private Tracing() {}

    public static Consumer around(Consumer consumer, String subscription) {
        return GlobalOpenTelemetry.isSet()
                ? SpreamTracing.of(GlobalOpenTelemetry.get(), subscription).around(consumer)
                : consumer;
    }

    /**
     * Returns the tracing of an outbox.
     *
     * @param adapter the name of the sender
     */
    public static Optional<OutboxTracing> ofOutbox(String adapter) {
        return GlobalOpenTelemetry.isSet()
                ? Optional.of(OutboxTracing.of(GlobalOpenTelemetry.get(), adapter))
                : Optional.empty();
    }
}
