package dev.spream.benchmarks.harness;

import java.util.logging.LogManager;

/** The Spanner client's own logging, by java.util.logging. */
public final class ClientLogging {
    private ClientLogging() {}

    /** Keeps it from mixing with what is measured. */
    public static void silence() {
        LogManager.getLogManager().reset();
    }
}
