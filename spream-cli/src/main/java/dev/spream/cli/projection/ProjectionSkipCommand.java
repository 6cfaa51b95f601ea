package dev.spream.cli.projection;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.Reporting;
import dev.spream.cli.output.PlainText;
import dev.spream.projection.ParkedAggregate;
import dev.spream.projection.ProjectionDetails;
import dev.spream.projection.ProjectionOperations;
import dev.spream.projection.ProjectionOperations.Act;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Skips the first event of a parked aggregate. */
@Command(
        name = "skip",
        description = "Skips the first event of a parked aggregate and dead-letters it; the later events are retried.",
        sortOptions = false,
        footer = {
            "",
            "The read model then lacks the effect of that event; effects of later events that depend on it may be"
                    + " wrong.",
            "",
            "Try: spream projection skip entries --key word-7 --version 3 --reason 'payload is corrupt'"
        })
final class ProjectionSkipCommand extends Reporting {
    @Mixin
    private final NamedProjection projection = new NamedProjection();

    @Option(
            names = "--key",
            paramLabel = "KEY",
            required = true,
            description = "Id of the parked aggregate, as show shows it.")
    private String key = "";

    /**
     * The help option without the standard short name of the version option, which here denotes the version of an
     * event.
     */
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    @SuppressWarnings("UnusedVariable") // picocli only needs the option to exist
    private boolean help;

    @Option(
            names = "--version",
            paramLabel = "N",
            required = true,
            description = "Version of its first event, as show shows it; no other event is skipped.")
    private long version;

    @Mixin
    private final ProjectionOperatorOptions by = new ProjectionOperatorOptions();

    @Override
    public Integer call() {
        require(version >= 1, "--version is %d; versions count from 1".formatted(version));
        Act act = by.act();
        try (ConfiguredProjections configured = projection.open()) {
            ProjectionOperations projections = configured.operations();
            ProjectionDetails details = projection.find(projections);
            if (projections.skip(projection.name(), key, version, act)) {
                report("skip %s: version %d of %s is dead-lettered", projection, version, PlainText.of(key));
                return ExitCode.OK;
            }
            report("%s: %s", PlainText.of(key), why(projections, details));
            return ExitCode.SOFTWARE;
        } catch (IllegalStateException e) { // an earlier event is missing
            report("%s: %s", PlainText.of(key), PlainText.of(String.valueOf(e.getMessage())));
            return ExitCode.SOFTWARE;
        }
    }

    private String why(ProjectionOperations projections, ProjectionDetails details) {
        int all = Math.toIntExact(Math.clamp(details.parkedKeys(), 1, Integer.MAX_VALUE));
        return projections.parked(projection.name(), all).stream()
                .filter(parked -> parked.key().equals(key))
                .findFirst()
                .map(ParkedAggregate::firstVersion)
                .map(first -> "its first event is version %d, not %d; nothing was changed".formatted(first, version))
                .orElse("it is not parked; nothing was changed");
    }
}
