package dev.spream.cli.subscription;

import dev.spream.cli.service.StopSignals;
import dev.spream.core.subscription.CompletionReason;
import java.util.function.BooleanSupplier;
import picocli.CommandLine.ExitCode;

/** Ends a subscription from outside: by the limit, by the first signal with a drain, by the second at once. */
final class Draining implements AutoCloseable {
    private final Runnable stop;
    private final StopSignals signals;
    private volatile boolean limited;
    private volatile boolean cutShort;

    /**
     * Starts to listen for signals.
     *
     * @param shutdown finishes what has started, and says whether there was time for that
     * @param stop interrupts what has started
     */
    Draining(BooleanSupplier shutdown, Runnable stop) {
        this.stop = stop;
        this.signals = StopSignals.install(() -> cutShort = !shutdown.getAsBoolean(), stop);
    }

    /** Ends the subscription now: the records that the limit allowed are written, and no other may be. */
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
                        : "a signal, with work interrupted when its time was over, which comes again";
        };
    }

    /** A failure, if work was left that had started. */
    int exitCode(CompletionReason result) {
        boolean interrupted = result == CompletionReason.CLOSED && !limited;
        return interrupted || cutShort ? ExitCode.SOFTWARE : ExitCode.OK;
    }

    @Override
    public void close() {
        signals.close();
    }
}
