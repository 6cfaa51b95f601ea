package dev.spream.lock;

import dev.spream.core.LoggedFailure;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells all listeners; one that throws is logged and keeps nobody from locking. Safe for use by many threads. */
final class LockEvents {
    private static final Logger log = LoggerFactory.getLogger(LockEvents.class);

    private final List<LockListener> listeners;

    LockEvents(List<LockListener> listeners) {
        this.listeners = listeners;
    }

    void tell(Consumer<LockListener> event) {
        for (LockListener listener : listeners) {
            try {
                event.accept(listener);
            } catch (Throwable e) {
                log.warn("the lock listener {} failed; locking continues", listener, LoggedFailure.of(e));
            }
        }
    }
}
