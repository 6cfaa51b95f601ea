package dev.spream.cli.partition;

import dev.spream.api.StreamTime;
import dev.spream.core.partition.Correction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves the start of a stored subscription. */
@Command(
        name = "move-start",
        description =
                "Moves the start of a stored subscription. If something was read already, reading begins anew there:"
                        + " what was committed from there on is delivered again. A start that would skip changes is refused.",
        footer = {"", "With --database it refuses a start before the stream's retention period."})
final class MoveStartCommand extends CorrectionCommand {
    @Option(
            names = "--to",
            paramLabel = "TIME",
            required = true,
            description =
                    "First commit timestamp to read, inclusive: 2026-01-31T12:00:00Z, -1d; by the storage's clock."
                            + " Not after the low watermark if something was read already.")
    private @Nullable StreamTime to;

    @Override
    Correction correction(StoredSubscription stored) {
        return new Correction.MoveStart(retained(past("--to", to, stored), stored));
    }
}
