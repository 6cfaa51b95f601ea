package dev.spream.cli.service;

import dev.spream.api.tracing.OutboxTracing;
import dev.spream.api.tracing.SpreamTracing;
import dev.spream.core.consume.Consumer;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.util.Optional;

/** Spans of what a command delivers or sends, for processes that were started with an agent of OpenTelemetry; nothing otherwise. */
public final class Tracing {
    private Tracing() {}

    public static Consumer around(Consumer consumer, String subscription) {
        return GlobalOpenTelemetry.isSet()
                ? SpreamTracing.of(GlobalOpenTelemetry.get(), subscription).around(consumer)
                : consumer;
    }

    /**
     * Spans of an outbox.
     *
     * @param adapter how entries are sent
     */
    public static Optional<OutboxTracing> ofOutbox(String adapter) {
        return GlobalOpenTelemetry.isSet()
                ? Optional.of(OutboxTracing.of(GlobalOpenTelemetry.get(), adapter))
                : Optional.empty();
    }
}
