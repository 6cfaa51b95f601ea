package dev.spream.cli;

import dev.spream.cli.ExchangeArguments.Exchange;
import dev.spream.projection.ProjectionRebuilds;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Makes a version of a projection live that was live before. */
@Command(
        name = "rollback",
        description = "Makes a version of a projection live again, which followed meanwhile: a cut-over back.",
        sortOptions = false,
        footer = {"", "Try: spream projection rollback entries --yes --reason 'counts are wrong'"})
final class ProjectionRollbackCommand implements Callable<Integer> {
    @Mixin
    private final VersionArguments arguments = new VersionArguments();

    @Option(
            names = "--version",
            paramLabel = "N",
            description =
                    "Which. Default: the one that was live before; none if the last cut-over is taken back already.")
    private @Nullable Integer version;

    @Mixin
    private final ExchangeArguments exchange = new ExchangeArguments();

    @Override
    public Integer call() {
        Exchange meant = exchange.exchange();
        return arguments.run((projections, name) -> {
            ProjectionRebuilds rebuilds = projections.rebuilds();
            int chosen = RollbackTarget.choose(rebuilds, name, arguments.version(version));
            arguments.say(ParityLines.done("rollback", meant.run(rebuilds, name, chosen)));
            return ExitCode.OK;
        });
    }
}
