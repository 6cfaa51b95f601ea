package dev.spream.cli.http;

import static java.util.Objects.requireNonNull;

import dev.spream.api.HttpAddress;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * HTTP answers of a process about what it runs: {@code /health}, {@code /ready}, {@code /metrics}, and more. It listens from
 * {@link #listen} to {@link #close}. Safe for use by many threads, but for {@code listen}.
 */
public abstract class Endpoints implements AutoCloseable {
    private final HttpAddress address;
    private final RunState state = new RunState();
    private final ProcessMeters process = new ProcessMeters();
    private volatile @Nullable Listening listening;

    Endpoints(HttpAddress address) {
        this.address = requireNonNull(address, "address");
    }

    /**
     * Starts to listen; to be called once.
     *
     * @return where, on this machine if it listens on all addresses
     * @throws IOException if the address cannot be listened on, such as one that is in use
     */
    public final String listen() throws IOException {
        Map<String, Callable<Answer>> answers = new HashMap<>(answers());
        answers.put("/health", () -> state.health(problem()));
        answers.put("/ready", state::ready);
        answers.put("/metrics", process::scrape);
        Listening started = new Listening(address, answers, this::look);
        listening = started;
        return started.url();
    }

    /** The other answers, by path. */
    abstract Map<String, Callable<Answer>> answers();

    /** Why the process is not healthy; empty if it is. */
    abstract Optional<String> problem();

    /** Notes where things stand, once a second. */
    void look() {}

    final RunState state() {
        return state;
    }

    final MeterRegistry registry() {
        return process.registry();
    }

    /** What runs has been told to end, and is not ready any more. */
    public final void draining() {
        state.draining();
    }

    /** What ran has ended with a failure. */
    public final void failed(Throwable failure) {
        state.failed(failure);
    }

    /** Stops at once, also while a request is being answered. */
    @Override
    public final void close() {
        Listening started = listening;
        if (started != null) {
            started.close();
        }
        process.close();
    }
}
