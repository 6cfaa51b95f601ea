package dev.spream.cli.partition;

import dev.spream.api.StreamTime;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.storage.OpenStorage;
import dev.spream.core.partition.PartitionMetadata;
import java.time.Instant;
import java.util.Collection;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes finished partitions earlier than a running subscriber would. */
@Command(
        name = "cleanup",
        description = "Removes finished partitions from a storage and keeps the proof of completion of each.",
        footer = {
            "",
            "Parents of unfinished partitions stay stored. Subscribers do the same for partitions that finished a"
                    + " day ago, and remove proofs after 30 days."
        })
public final class CleanupCommand extends Subcommand {
    @Mixin
    private final SubscriptionArguments arguments = new SubscriptionArguments();

    @Option(
            names = "--finished-before",
            paramLabel = "TIME",
            required = true,
            description = "Remove partitions that finished before this time: 2026-01-31T12:00:00Z, -1d, now; by the"
                    + " storage's clock.")
    private @Nullable StreamTime finishedBefore;

    @Override
    public Integer call() throws Exception {
        try (OpenStorage open = arguments.open()) {
            Instant now = StoredSubscription.read(open).now();
            Instant before = finishedBefore == null ? now : finishedBefore.at(now);
            int removed = open.storage().cleanUp(before);
            Collection<PartitionMetadata> left = open.storage().lineage().partitions();
            long finished = left.stream().filter(PartitionMetadata::isFinished).count();
            print(
                    "cleanup: removed %d partitions finished before %s, kept their proofs; %d remain, %d of them unfinished",
                    removed, before, left.size(), left.size() - finished);
            return ExitCode.OK;
        }
    }
}
