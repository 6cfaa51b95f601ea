package dev.spream.cli.partition;

import dev.spream.api.StreamTime;
import dev.spream.core.partition.Correction;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Moves or removes the end of a stored subscription. */
@Command(
        name = "move-end",
        description =
                "Moves or removes the end of a stored subscription. Partitions that finished at an earlier end are"
                        + " read on from there; changes at that timestamp are delivered again.",
        footer = {"", "Try: spream subscription move-end --jdbc-url URL --to now --dry-run"})
final class MoveEndCommand extends CorrectionCommand {
    @ArgGroup(multiplicity = "1")
    @SuppressWarnings("NullAway.Init")
    private End end;

    private static final class End {
        @Option(
                names = "--to",
                paramLabel = "TIME",
                description =
                        "Last commit timestamp to read, inclusive: 2026-01-31T12:00:00Z, +1h, now; by the storage's"
                                + " clock. Not before what was read already.")
        private @Nullable StreamTime to;

        @Option(names = "--none", description = "Remove the end: read for ever.")
        private boolean none;
    }

    @Override
    Correction correction(StoredSubscription stored) {
        return new Correction.MoveEnd(end.none ? Optional.empty() : Optional.of(time("--to", end.to, stored)));
    }
}
