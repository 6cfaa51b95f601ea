package dev.spream.core.internal;

import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells all listeners, and keeps what they throw away from the engine. As safe for use by many threads as they are.
 *
 * @param <L> what they listen with
 */
public final class SafeListeners<L> {
    private static final Logger log = LoggerFactory.getLogger(SafeListeners.class);

    private final List<? extends L> listeners;

    public SafeListeners(List<? extends L> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    public void tell(Consumer<? super L> event) {
        for (L listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                log.warn("listener {} failed; the event is lost to it", listener.getClass(), e);
            }
        }
    }
}
