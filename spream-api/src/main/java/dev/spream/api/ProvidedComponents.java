package dev.spream.api;

import static java.util.Objects.requireNonNull;

import dev.spream.api.spi.Port;
import dev.spream.core.consume.Consumer;
import dev.spream.core.consume.ErrorHandler;
import dev.spream.core.subscription.SubscriptionListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The components of a subscription that the program provides itself. Confined to one thread until the subscription is
 * built.
 */
final class ProvidedComponents {
    private final Map<Port<?>, Object> parts = new HashMap<>();

    @Nullable
    ErrorHandler errorHandler;

    UnaryOperator<Consumer> around = UnaryOperator.identity();

    final List<SubscriptionListener> listeners = new ArrayList<>();

    ProvidedComponents copy() {
        ProvidedComponents copy = new ProvidedComponents();
        copy.parts.putAll(parts);
        copy.errorHandler = errorHandler;
        copy.around = around;
        copy.listeners.addAll(listeners);
        return copy;
    }

    <T> void put(Port<T> port, T part) {
        parts.put(port, requireNonNull(part, port.key()));
    }

    @SuppressWarnings("unchecked") // keyed by its type
    <T> Optional<T> find(Port<T> port) {
        return Optional.ofNullable((T) parts.get(port));
    }

    Set<Port<?>> ports() {
        return parts.keySet();
    }
}
