package dev.spream.cli.partition;

import static dev.spream.cli.command.UsageFailure.required;

import dev.spream.api.StreamTime;
import dev.spream.cli.command.UsageFailure;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionMetadata;
import dev.spream.core.partition.PartitionToken;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Adds a gap to unfinished partitions of a stored subscription. */
@Command(
        name = "add-gap",
        description =
                "Skips a period: the watermarks of unfinished partitions move to its end, and each stores an accepted"
                        + " gap, which verify and partitions show. What was committed in the gap is not delivered.",
        footer = {
            "",
            "The gap of a partition begins at its watermark, which has to be in the period; a partition with a later"
                    + " watermark stays as it is. Partitions that the stream returns later are read from their start."
        })
final class AddGapCommand extends CorrectionCommand {
    @Option(
            names = "--from",
            paramLabel = "TIME",
            required = true,
            description =
                    "Start of the period, at or before the watermark of each partition: 2026-01-31T12:00:00Z, -1d; by"
                            + " the storage's clock.")
    private @Nullable StreamTime from;

    @Option(
            names = "--to",
            paramLabel = "TIME",
            required = true,
            description = "End of the period, from which reading continues; not in the future.")
    private @Nullable StreamTime to;

    @ArgGroup(multiplicity = "1")
    @SuppressWarnings("NullAway.Init")
    private Selection selection;

    private static final class Selection {
        @Option(
                names = "--partition",
                paramLabel = "TOKEN",
                description = "An unfinished partition, by its token or as partitions shows it; may be repeated.")
        private List<String> partitions = new ArrayList<>();

        @Option(names = "--all", description = "All unfinished partitions.")
        @SuppressWarnings("UnusedVariable") // it is what no named partition means
        private boolean all;
    }

    @Override
    Correction correction(StoredSubscription stored) {
        Instant begin = past("--from", from, stored);
        Instant end = past("--to", to, stored);
        Set<PartitionToken> named =
                selection.partitions.stream().map(name -> find(name, stored)).collect(Collectors.toSet());
        return new Correction.AddGap(required("", () -> new PartitionGap(begin, end)), named);
    }

    private static PartitionToken find(String name, StoredSubscription stored) {
        List<PartitionToken> found = stored.lineage().partitions().stream()
                .map(PartitionMetadata::token)
                .filter(token -> token.value().equals(name)
                        || token.abbreviated().equals(name)
                        || token.abbreviated().equals("…" + name))
                .toList();
        if (found.size() != 1) {
            throw new UsageFailure(
                    found.isEmpty()
                            ? "--partition %s is not stored: partitions --all shows the stored ones".formatted(name)
                            : "--partition %s is short for %d partitions: use the whole token of partitions --json"
                                    .formatted(name, found.size()));
        }
        return found.getFirst();
    }
}
