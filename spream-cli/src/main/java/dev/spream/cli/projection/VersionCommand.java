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

    /** Of the standard options the other one is called like the version of a projection. */
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help message and exit.")
    @SuppressWarnings("UnusedVariable") // that it is there is all that picocli needs
    private boolean help;

    /**
     * Does it with a projection that there is.
     *
     * @param work what the command does with the projection of that name, and its exit code
     * @return the exit code; if it cannot be done as things are, standard error says why, and that nothing was changed
     */
    final int run(ToIntBiFunction<ProjectionOperations, String> work) {
        try (ConfiguredProjections configured = projection.open()) {
            return work.applyAsInt(configured.operations(), projection.findBase(configured.operations()));
        } catch (IllegalStateException e) { // it cannot be done as things are
            report("left %s: %s", shown(), PlainText.of(String.valueOf(e.getMessage())));
            return ExitCode.SOFTWARE;
        }
    }

    /**
     * The version that is asked for, by an option or as {@code list} names it, {@code projection@version}.
     *
     * @param option of the command; null if it was not given
     * @return null if none is asked for
     * @throws UsageFailure if two are
     */
    @Nullable
    final Integer version(@Nullable Integer option) {
        OptionalInt named = projection.version();
        if (named.isEmpty()) {
            return option;
        }
        require(
                option == null || option == named.getAsInt(),
                "%s is version %d, and --version says %d".formatted(projection, named.getAsInt(), option));
        return named.getAsInt();
    }

    /** The projection, as it can be printed. */
    final String shown() {
        return PlainText.of(projection.base());
    }
}
