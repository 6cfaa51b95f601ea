package dev.spream.cli.subscription;

import dev.spream.cli.service.StopSignals;
import dev.spream.core.subscription.CompletionReason;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.ExitCode;

/** Ends a subscription on the limit, on the first signal with a drain, or on the second signal at once. */
final class Draining implements AutoCloseable {
    private final Runnable stop;
    private final StopSignals signals;
    private volatile boolean limited;
    private volatile boolean cutShort;

    /**
     * Installs the signal handlers.
     *
     * @param shutdown finishes started work; returns whether it completed in time
     * @param stop interrupts started work
     */
    Draining(BooleanSupplier shutdown, Runnable stop) {
        this.stop = stop;
        this.signals = StopSignals.install(() -> cutShort = !shutdown.getAsBoolean(), stop);
    }

    /** Stops the subscription at once: the permitted records are written, and no others may be. */
    void limitReached() {
        limited = true;
        Thread.ofVirtual().name("spream-limit").start(stop);
    }

    String ending(CompletionReason result) {
        if (limited) {
            return "the limit";
        }
        return switch (result) {
            case COMPLETED -> "the end timestamp";
            case SHUT_DOWN -> cutShort ? "a signal, with work unfinished" : "a signal";
            case CLOSED ->
                signals.receivedTwice()
                        ? "a second signal, with work interrupted"
                        : "a signal, with work interrupted at its time limit, to be delivered again";
        };
    }

    /** Returns the exit code: a failure if started work was interrupted. */
    int exitCode(CompletionReason result) {
        boolean interrupted = result == CompletionReason.CLOSED && !limited;
        return interrupted || cutShort ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    @Override
    public void close() {
        signals.close();
    }
}
