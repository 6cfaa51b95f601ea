package dev.spream.cli.deadletter;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.api.ConfiguredDeadLetters;
import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.panel.RemainingLetters;
import dev.spream.core.record.RecordIdentity;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Discards dead letters. */
@Command(
        name = "discard",
        description =
                "Discards dead letters: their changes never reach the sink. Keys that they parked stay parked until"
                        + " release.")
final class DeadLettersDiscardCommand extends Subcommand {
    @Mixin
    private final ConfigArguments arguments = new ConfigArguments();

    @Parameters(paramLabel = "IDENTITY", arity = "1..*", description = "Dead letters, as list shows them.")
    private List<RecordIdentity> identities = new ArrayList<>();

    @Option(names = "--yes", description = "Confirm the operation.")
    private boolean yes;

    @Override
    public Integer call() throws Exception {
        require(yes, "discarded changes never reach the sink: review them with deadletters show, and add --yes");
        try (ConfiguredDeadLetters configured = ConfiguredDeadLetters.open(arguments.config())) {
            int discarded = 0;
            for (RecordIdentity identity : identities) {
                if (configured.letters().discard(identity)) {
                    discarded++;
                } else {
                    report("skipped %s: it is not an open dead letter, or is being replayed", identity);
                }
            }
            report("discard: discarded %d; %s", discarded, RemainingLetters.of(configured.letters()));
            return discarded == identities.size() ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }
}
