package dev.spream.core.subscription;

import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells all listeners, and keeps what they throw away from the engine. */
final class SafeListener {
    private static final Logger log = LoggerFactory.getLogger(SafeListener.class);

    private final List<SubscriptionListener> listeners;

    SafeListener(List<SubscriptionListener> listeners) {
        this.listeners = listeners;
    }

    void tell(Consumer<SubscriptionListener> event) {
        for (SubscriptionListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                log.warn("subscription listener {} failed; the event is lost to it", listener.getClass(), e);
            }
        }
    }
}
