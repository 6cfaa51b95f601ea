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
                + " worker begins with the initial query, or again with a snapshot if the subscription began with one."
                + " What was delivered from the start on is delivered again.",
        footer = {
            "",
            "A snapshot inserts the rows as of the start. A row that was deleted before, and whose deletion was not"
                    + " delivered, stays in the sink: empty the sink's tables first. The ledger of a mirror drops"
                    + " rows as of a time that it has settled: name another one (sink.jdbc.ledger).",
            "",
            "A start after the low watermark skips the changes between, but for a snapshot. Epochs begin at 1 again: a consumer that keeps the"
                    + " highest epoch of each partition has to forget it. With --database it refuses a start before the"
                    + " stream's retention period."
        })
final class BeginAnewCommand extends CorrectionCommand {
    @Option(
            names = "--start",
            paramLabel = "TIME",
            description =
                    "First commit timestamp to read, inclusive: 2026-01-31T12:00:00Z, -1d, now; by the storage's"
                            + " clock. Default: the stored start; with a snapshot, now, by the clock of --database if it is given.")
    private @Nullable StreamTime start;

    @Option(
            names = "--snapshot",
            negatable = true,
            description = "Begin with the rows of the watched tables as of the start, or without them. Default: as the"
                    + " subscription began.")
    private @Nullable Boolean snapshot;

    @Override
    Correction correction(StoredSubscription stored) {
        Optional<Instant> from = Optional.ofNullable(start).map(time -> past("--start", time, stored));
        Correction.BeginAnew begin = new Correction.BeginAnew(from, Optional.ofNullable(snapshot));
        if (from.isEmpty() && begin.withSnapshot(stored.subscription())) {
            return new Correction.BeginAnew(snapshotTime(stored), begin.snapshot());
        }
        retained(from.orElse(stored.subscription().startTimestamp()), stored);
        return begin;
    }
}
