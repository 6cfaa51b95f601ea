package dev.spream.core.outbox;

import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells all listeners, and keeps what they throw away from the worker. */
final class SafeOutboxListener {
    private static final Logger log = LoggerFactory.getLogger(SafeOutboxListener.class);

    private final List<OutboxListener> listeners;

    SafeOutboxListener(List<OutboxListener> listeners) {
        this.listeners = listeners;
    }

    void tell(Consumer<OutboxListener> event) {
        for (OutboxListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                log.warn("outbox listener {} failed; the event is lost to it", listener.getClass(), e);
            }
        }
    }
}
