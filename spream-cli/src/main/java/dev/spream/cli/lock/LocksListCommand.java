package dev.spream.cli.lock;

import static dev.spream.cli.command.UsageFailure.requireBetween;

import dev.spream.api.ConfiguredLocks;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.output.PlainText;
import dev.spream.cli.panel.LocksJson;
import dev.spream.lock.inspection.LockExplanation;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Command that shows lock holders, waiters and blocking chains, and whether each wait is necessary. */
@Command(
        name = "list",
        description = "Shows lock holders, waiters and blocking chains by name, and the most contended buckets.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:success", "1:failure", "2:usage error or invalid configuration"},
        footer = {
            "",
            "Names are reported by the locking processes, about a second late; keys, sessions and blocking chains"
                    + " come from the database. It takes no locks and changes nothing."
        })
final class LocksListCommand extends Subcommand {
    private static final int MAX_TOP = 1_000;

    @Mixin
    private final LocksArguments arguments = new LocksArguments();

    @Option(names = "--blocked", description = "Only waiters and the holders that block them.")
    private boolean blockedOnly;

    @Option(
            names = "--top",
            paramLabel = "N",
            defaultValue = "10",
            description = "Number of most contended buckets to show, 0 for none. Default: ${DEFAULT-VALUE}.")
    private int top;

    @Option(names = "--json", description = "Print one JSON object instead of text.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        requireBetween("--top", top, 0, MAX_TOP);
        try (ConfiguredLocks configured = arguments.open()) {
            LockExplanation locks = LockExplanation.of(configured.observer().observe());
            print(json ? List.of(LocksJson.write(locks, blockedOnly, top)) : LockPrinter.of(locks, blockedOnly, top));
            locks.seen().notes().forEach(note -> report("note: " + PlainText.of(note)));
            report("locks: " + LockPrinter.summary(locks));
            return ExitCode.OK;
        }
    }
}
