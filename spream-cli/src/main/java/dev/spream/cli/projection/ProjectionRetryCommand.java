package dev.spream.cli.projection;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.Subcommand;
import dev.spream.cli.output.PlainText;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import dev.spream.projection.ProjectionStatus;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Retries parked aggregates. */
@Command(
        name = "retry",
        description = "Retries parked aggregates at once, with all attempts, in the processes that run the projection.",
        footer = {
            "",
            "Fix the cause of the failures first. The command returns at once; show reports the result.",
            "",
            "Try: spream projection retry entries --all --reason 'the table is there now' --yes"
        })
final class ProjectionRetryCommand extends Subcommand {
    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Option(names = "--key", paramLabel = "KEY", description = "Id of the parked aggregate, as show shows it.")
    private @Nullable String key;

    @Option(names = "--all", description = "All parked aggregates.")
    private boolean all;

    @Option(names = "--yes", description = "With --all: confirm the operation.")
    private boolean yes;

    @Mixin
    private final ProjectionOperatorOptions by = new ProjectionOperatorOptions();

    @Override
    public Integer call() {
        requireClear();
        Act act = by.act();
        try (ConfiguredProjections configured = projection.open()) {
            ProjectionOperations projections = configured.operations();
            ProjectionDetails now = projection.find(projections);
            int found = projections.retry(projection.name(), Optional.ofNullable(key), act);
            if (key != null && found == 0) {
                report("skipped %s: it is not parked", PlainText.of(key));
                return ExitCode.SOFTWARE;
            }
            report("retry %s: %d to be retried%s", projection, found, when(now));
            return ExitCode.OK;
        }
    }

    private void requireClear() {
        require(all == (key == null), "parked aggregates are missing: add --key KEY or --all");
        require(
                yes || !all,
                "every parked aggregate will be retried: review them with projection show, and add" + " --yes");
    }

    private static String when(ProjectionDetails now) {
        ProjectionStatus status = now.state().status();
        return status == ProjectionStatus.RUNNING
                ? ""
                : ", once it is resumed: it is %s".formatted(ProjectionPrinter.status(now.state()));
    }
}
