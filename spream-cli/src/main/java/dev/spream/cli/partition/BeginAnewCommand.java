package dev.spream.cli.partition;

import dev.spream.api.StreamTime;
import dev.spream.core.partition.Correction;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Removes all partitions of a stored subscription, which then begins anew. */
@Command(
        name = "begin-anew",
        description = "Removes all partitions of a stored subscription with their progress and their proofs; the next"
                + " worker begins with the initial query. What was delivered from the start on is delivered again.",
        footer = {
            "",
            "A start after the low watermark skips the changes between. Epochs begin at 1 again: a consumer that keeps the"
                    + " highest epoch of each partition has to forget it. With --database it refuses a start before the"
                    + " stream's retention period."
        })
final class BeginAnewCommand extends CorrectionCommand {
    @Option(
            names = "--start",
            paramLabel = "TIME",
            description = "First commit timestamp to read, inclusive: 2026-01-31T12:00:00Z, -1d, now; by the storage's"
                    + " clock. Default: the stored start.")
    private @Nullable StreamTime start;

    @Override
    Correction correction(StoredSubscription stored) {
        Optional<Instant> from = Optional.ofNullable(start).map(time -> past("--start", time, stored));
        Instant first = retained(from.orElse(stored.subscription().startTimestamp()), stored);
        return new Correction.BeginAnew(from.map(given -> first));
    }
}
