package dev.spream.cli;

import dev.spream.projection.CutOver;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionRebuilds;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** How the version of a projection that readers see is exchanged, forth or back. */
final class ExchangeArguments {
    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Mixin
    private final PatienceArgument patience = new PatienceArgument();

    @Mixin
    private final LossArguments losses = new LossArguments();

    @Option(names = "--yes", description = "It is meant.")
    private boolean yes;

    @Mixin
    private final ProjectionActArguments by = new ProjectionActArguments();

    /** An exchange that somebody means. */
    record Exchange(Duration patience, Act act, LossArguments losses) {
        CutOver run(ProjectionRebuilds rebuilds, String projection, int version) {
            return rebuilds.cutOver(projection, version, patience, losses.accepted(), act);
        }
    }

    /**
     * Judges what was given.
     *
     * @throws ParameterException if it is not meant, nobody says why, or the patience is none
     */
    Exchange exchange() {
        if (!yes) {
            throw new ParameterException(command.commandLine(), "readers see another version from then on: add --yes");
        }
        return new Exchange(patience.limit(), by.act(), losses);
    }
}
