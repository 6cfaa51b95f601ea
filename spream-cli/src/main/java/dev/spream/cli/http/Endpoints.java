package dev.spream.cli.http;

import static java.util.Objects.requireNonNull;

import dev.spream.api.HttpAddress;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * HTTP endpoints of a process: {@code /health}, {@code /ready}, {@code /metrics} and more. Serves from {@link #listen}
 * to {@link #close}. Safe for use by many threads, except {@code listen}.
 */
public abstract class Endpoints implements AutoCloseable {
    private final HttpAddress address;
    private final PageApi page;
    private final RunState state = new RunState();
    private final ProcessMeters process = new ProcessMeters();
    private volatile @Nullable Listening listening;

    Endpoints(HttpAddress address, PageParts parts, InstantSource clock) {
        this.address = requireNonNull(address, "address");
        this.page = new PageApi(parts, clock);
    }

    /**
     * Starts to listen; called once.
     *
     * @return the URL, with the local host name if it listens on all addresses
     * @throws IOException if the address cannot be bound, such as one in use
     */
    public final String listen() throws IOException {
        Map<String, Endpoint> answers = new HashMap<>(answers());
        answers.put("/health", query -> state.health(problem()));
        answers.put("/ready", query -> state.ready());
        answers.put("/metrics", query -> process.scrape());
        Listening started = new Listening(address, answers, page.commands(), this::look);
        listening = started;
        return started.url();
    }

    /** Returns the further endpoints, by path. */
    abstract Map<String, Endpoint> answers();

    /** Returns the reason why the process is unhealthy; empty if it is healthy. */
    abstract Optional<String> problem();

    /** Updates the state once a second. */
    void look() {}

    final PageApi page() {
        return page;
    }

    final RunState state() {
        return state;
    }

    final MeterRegistry registry() {
        return process.registry();
    }

    /** Marks the start of a shutdown; the process is not ready afterwards. */
    public final void draining() {
        state.draining();
    }

    /** Marks a failure of the run. */
    public final void failed(Throwable failure) {
        state.failed(failure);
    }

    /** Stops at once, even during a request. */
    @Override
    public final void close() {
        Listening started = listening;
        if (started != null) {
            started.close();
        }
        process.close();
    }
}
