package dev.spream.cli;

import dev.spream.api.OutboxDesk;
import dev.spream.outbox.ManualAct;
import dev.spream.outbox.OutboxOperations;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Gives entries up. */
@Command(
        name = "abort",
        description =
                "Gives entries up: the ledger says that they failed by hand. Refused of what is settled, or being sent.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        footer = {"", "What may have reached the receiver is better settled by outbox settle, as it ended."})
final class OutboxAbortCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Mixin
    private final ChoiceArguments choice = new ChoiceArguments();

    @Mixin
    private final ActArguments by = new ActArguments();

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        choice.requireClear();
        by.requireReason();
        ManualAct act = by.act();
        try (OutboxDesk desk = arguments.open(others)) {
            OutboxOperations outbox = desk.operations();
            return choice.change(
                    new OutboxChange(
                            "abort",
                            outbox,
                            id -> outbox.abort(id, act),
                            spec.commandLine().getErr()),
                    outbox);
        }
    }
}
