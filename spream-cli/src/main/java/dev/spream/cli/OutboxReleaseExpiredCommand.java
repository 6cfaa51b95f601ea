package dev.spream.cli;

import dev.spream.api.OutboxDesk;
import dev.spream.outbox.ManualAct;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Gives entries back that nobody sends any more. */
@Command(
        name = "release-expired",
        description = "Gives entries back whose worker's lease has run out, so that they are due. Workers do so by"
                + " themselves: this is for when there are none.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false)
final class OutboxReleaseExpiredCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Mixin
    private final ActArguments by = new ActArguments();

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        ManualAct act = by.act();
        try (OutboxDesk desk = arguments.open(others)) {
            int released = desk.operations().releaseExpired(act);
            spec.commandLine().getErr().printf("release-expired: %d released%n", released);
            return ExitCode.OK;
        }
    }
}
