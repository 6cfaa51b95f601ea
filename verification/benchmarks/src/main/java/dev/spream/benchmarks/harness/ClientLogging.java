package dev.spream.benchmarks.harness;

import java.util.logging.LogManager;

/** The Spanner client's own logging, by java.util.logging. */
public final class ClientLogging {
    private ClientLogging() {}

    /** Disables the logging, so that it does not mix with results. */
    public static void silence() {
        LogManager.getLogManager().reset();
    }
}
