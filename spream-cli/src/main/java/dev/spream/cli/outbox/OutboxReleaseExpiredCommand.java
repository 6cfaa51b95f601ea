package dev.spream.cli.outbox;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.cli.command.Subcommand;
import dev.spream.outbox.OperatorAction;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** Gives entries back that nobody sends any more. */
@Command(
        name = "release-expired",
        description = "Gives entries back whose worker's lease has run out, so that they are due. Workers do so by"
                + " themselves: this is for when there are none.")
final class OutboxReleaseExpiredCommand extends Subcommand {
    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Mixin
    private final OperatorOptions by = new OperatorOptions();

    @Override
    public Integer call() {
        OperatorAction act = by.act();
        try (ConfiguredOutbox desk = arguments.open()) {
            int released = desk.operations().releaseExpired(act);
            err().printf("release-expired: %d released%n", released);
            return ExitCode.OK;
        }
    }
}
