package dev.spream.cli.outbox;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.cli.command.Subcommand;
import dev.spream.outbox.OperatorAction;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;

/** Command that releases entries whose lease has expired. */
@Command(
        name = "release-expired",
        description = "Releases entries whose worker's lease has expired, so that they are due. Running workers do"
                + " this by themselves; use it when none runs.")
final class OutboxReleaseExpiredCommand extends Subcommand {
    @Mixin
    private final OutboxArguments arguments = new OutboxArguments();

    @Mixin
    private final OperatorOptions by = new OperatorOptions();

    @Override
    public Integer call() {
        OperatorAction act = by.act();
        try (ConfiguredOutbox configured = arguments.open()) {
            int released = configured.operations().releaseExpired(act);
            err().printf("release-expired: %d released%n", released);
            return ExitCode.OK;
        }
    }
}
