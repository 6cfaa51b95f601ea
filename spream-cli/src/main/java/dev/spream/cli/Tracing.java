package dev.spream.cli;

import dev.spream.api.tracing.SpreamTracing;
import dev.spream.core.consume.Consumer;
import io.opentelemetry.api.GlobalOpenTelemetry;

/** Spans of what a command delivers, for processes that were started with an agent of OpenTelemetry; nothing otherwise. */
final class Tracing {
    private Tracing() {}

    static Consumer around(Consumer consumer, String subscription) {
        return GlobalOpenTelemetry.isSet()
                ? SpreamTracing.of(GlobalOpenTelemetry.get(), subscription).around(consumer)
                : consumer;
    }
}
