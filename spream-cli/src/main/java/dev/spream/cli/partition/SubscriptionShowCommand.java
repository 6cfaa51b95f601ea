package dev.spream.cli.partition;

import dev.spream.cli.command.Subcommand;
import dev.spream.cli.output.Columns;
import dev.spream.cli.output.Members;
import dev.spream.cli.output.PlainText;
import dev.spream.cli.storage.OpenStorage;
import dev.spream.core.partition.AuditedCorrection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows a stored subscription and the audit of its corrections. */
@Command(
        name = "show",
        description = "Shows a stored subscription: its start and end, its progress, and the audit of its corrections,"
                + " oldest first.")
final class SubscriptionShowCommand extends Subcommand {
    private static final List<String> COLUMNS = List.of("AT", "WHO", "CORRECTION", "REASON");

    @Mixin
    private final SubscriptionArguments arguments = new SubscriptionArguments();

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        try (OpenStorage open = arguments.open()) {
            StoredSubscription stored = StoredSubscription.read(open);
            List<AuditedCorrection> corrections = open.storage().corrections();
            print(json ? List.of(json(stored, corrections)) : lines(stored, corrections));
            return ExitCode.OK;
        }
    }

    private static List<String> lines(StoredSubscription stored, List<AuditedCorrection> corrections) {
        return Stream.concat(
                        Stream.of(PartitionTree.subscription(PartitionView.of(stored, false, Optional.empty()))),
                        Columns.table(COLUMNS, corrections, SubscriptionShowCommand::row).stream())
                .toList();
    }

    private static List<String> row(AuditedCorrection correction) {
        return List.of(
                correction.at().toString(),
                PlainText.of(correction.act().actor()),
                correction.change(),
                PlainText.of(correction.act().reason()));
    }

    private static String json(StoredSubscription stored, List<AuditedCorrection> corrections) {
        return new Members()
                .put("subscription", PartitionsJson.subscription(stored))
                .list(
                        "corrections",
                        corrections,
                        correction -> new Members()
                                .put("at", correction.at())
                                .put("actor", correction.act().actor())
                                .put("reason", correction.act().reason())
                                .put("change", correction.change()))
                .toString();
    }
}
