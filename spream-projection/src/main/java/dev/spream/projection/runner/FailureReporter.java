package dev.spream.projection.runner;

import dev.spream.projection.FailureKind;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The failures and outages of a projection in this process: counted until they are reported to the store, and shown
 * while they last. Safe for use by many threads.
 */
final class FailureReporter {
    private static final Logger log = LoggerFactory.getLogger(FailureReporter.class);

    /** Failures that are not reported to the store yet. */
    record Unreported(long errors, Optional<String> lastError) {}

    private final String projection;
    private final ManagerContext<?> manager;
    private final Map<String, String> outages = new ConcurrentSkipListMap<>();

    // Guarded by this.
    private long errors;
    private Optional<String> lastError = Optional.empty();

    FailureReporter(String projection, ManagerContext<?> manager) {
        this.projection = projection;
        this.manager = manager;
    }

    /** Returns the part of a failure that may be stored. */
    String text(Exception failure) {
        return ErrorText.of(manager.store(), failure);
    }

    /** Reports that an event, or all of them, could not be applied. */
    void failed(FailureKind kind, Exception failure) {
        count(ErrorText.of(manager.store(), failure));
        manager.listeners().publish(listener -> listener.failed(projection, kind, failure));
    }

    /**
     * Reports an operation that fails and is retried.
     *
     * @param what the operation, for messages
     */
    void outage(String what, Exception failure) {
        String error = ErrorText.of(manager.store(), failure);
        if (outages.put(what, error) == null) {
            log.warn("[{}] {} failed: {}; it is retried, and its recovery is logged", projection, what, error);
        }
        failed(FailureKind.TRANSIENT, failure);
    }

    void over(String what) {
        if (!outages.isEmpty() && outages.remove(what) != null) {
            log.info("[{}] {} works again", projection, what);
        }
    }

    /**
     * Removes an operation that this process does not perform any more, or not now; another process may report its
     * failures.
     */
    void forget(String what) {
        outages.remove(what);
    }

    /** Returns the failing operation, if there is one now. */
    Optional<String> outage() {
        return outages.entrySet().stream()
                .findFirst()
                .map(outage -> "%s failed: %s".formatted(outage.getKey(), outage.getValue()));
    }

    private synchronized void count(String error) {
        errors++;
        lastError = Optional.of(error);
    }

    synchronized Unreported unreported() {
        return new Unreported(errors, lastError);
    }

    synchronized void reported(Unreported known) {
        errors -= known.errors();
    }
}
