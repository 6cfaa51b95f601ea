package dev.spream.benchmarks;

import java.util.logging.LogManager;

/** The Spanner client's own logging, by java.util.logging. */
final class ClientLogging {
    private ClientLogging() {}

    /** Keeps it from mixing with what is measured. */
    static void silence() {
        LogManager.getLogManager().reset();
    }
}
