package dev.spream.core.internal;

import dev.spream.core.LoggedFailure;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies all listeners and logs their exceptions, which do not reach the engine. As thread-safe as the listeners
 * are.
 *
 * @param <L> the type of the listeners
 */
public final class SafeListeners<L> {
    private static final Logger log = LoggerFactory.getLogger(SafeListeners.class);

    private final List<? extends L> listeners;
    private final Calls calls;

    /** Makes the calls of a listener, on the calling thread. */
    public interface Calls {
        void call(Object listener, Runnable call) throws Exception;
    }

    public SafeListeners(List<? extends L> listeners) {
        this(listeners, (listener, call) -> call.run());
    }

    public SafeListeners(List<? extends L> listeners, Calls calls) {
        this.listeners = List.copyOf(listeners);
        this.calls = calls;
    }

    public void publish(Consumer<? super L> event) {
        for (L listener : listeners) {
            try {
                calls.call(listener, () -> event.accept(listener));
            } catch (Throwable e) {
                log.warn(
                        "listener {} ({}) failed; it misses this event",
                        listener.getClass().getName(),
                        listener,
                        LoggedFailure.of(e));
            }
        }
    }
}
