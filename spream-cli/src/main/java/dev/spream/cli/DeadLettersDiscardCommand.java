package dev.spream.cli;

import dev.spream.api.DeadLetterDesk;
import dev.spream.core.record.RecordIdentity;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Gives letters up. */
@Command(
        name = "discard",
        description =
                "Gives letters up: their changes never reach the sink. Keys that they parked stay parked until release.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class DeadLettersDiscardCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final DeskArguments arguments = new DeskArguments();

    @Parameters(paramLabel = "IDENTITY", arity = "1..*", description = "The changes, as list shows them.")
    private List<RecordIdentity> identities = new ArrayList<>();

    @Option(names = "--yes", description = "It is meant.")
    private boolean yes;

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() throws Exception {
        if (!yes) {
            throw new ParameterException(
                    spec.commandLine(),
                    "what is discarded is lost to the sink: look at it with deadletters show, and add --yes");
        }
        try (DeadLetterDesk desk = arguments.open(others)) {
            PrintWriter err = spec.commandLine().getErr();
            int discarded = 0;
            for (RecordIdentity identity : identities) {
                if (desk.letters().discard(identity)) {
                    discarded++;
                } else {
                    err.printf("left %s: no such letter is open, or somebody replays it%n", identity);
                }
            }
            err.printf("discard: discarded %d; %s%n", discarded, LetterCounts.remaining(desk.letters()));
            return discarded == identities.size() ? ExitCode.OK : ExitCode.SOFTWARE;
        }
    }
}
