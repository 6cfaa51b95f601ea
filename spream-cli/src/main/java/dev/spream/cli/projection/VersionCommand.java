package dev.spream.cli.projection;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.api.ConfiguredProjections;
import dev.spream.cli.command.Reporting;
import dev.spream.cli.command.UsageFailure;
import dev.spream.cli.output.PlainText;
import dev.spream.projection.ProjectionOperations;
import java.util.OptionalInt;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command for the versions of a projection. */
@Command(sortOptions = false)
abstract class VersionCommand extends Reporting {
    @Mixin
    private final NamedProjection projection = new NamedProjection();

    /**
     * The help option without the standard short name of the version option, which here denotes the version of a
     * projection.
     */
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    @SuppressWarnings("UnusedVariable") // picocli only needs the option to exist
    private boolean help;

    /**
     * Runs the command on an existing projection.
     *
     * @param work the work with the projection of that name; returns the exit code
     * @return the exit code; if the state does not permit the work, standard error reports the reason and that nothing
     *     was changed
     */
    final int run(ToIntBiFunction<ProjectionOperations, String> work) {
        try (ConfiguredProjections configured = projection.open()) {
            return work.applyAsInt(configured.operations(), projection.findBase(configured.operations()));
        } catch (IllegalStateException e) { // the state does not permit it
            report("%s: %s", shown(), PlainText.of(String.valueOf(e.getMessage())));
            return ExitCode.SOFTWARE;
        }
    }

    /**
     * Returns the requested version, given by an option or in the form of {@code list}, {@code projection@version}.
     *
     * @param option the option of the command; null if absent
     * @return null if no version is requested
     * @throws UsageFailure if both name different versions
     */
    @Nullable
    final Integer version(@Nullable Integer option) {
        OptionalInt named = projection.version();
        if (named.isEmpty()) {
            return option;
        }
        require(
                option == null || option == named.getAsInt(),
                "%s is version %d, but --version is %d".formatted(projection, named.getAsInt(), option));
        return named.getAsInt();
    }

    /** Returns the projection for display. */
    final String shown() {
        return PlainText.of(projection.base());
    }
}
