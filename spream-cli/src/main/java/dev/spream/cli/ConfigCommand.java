package dev.spream.cli;

import dev.spream.api.ConfigCheck;
import dev.spream.api.config.ConfigEntry;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.ConfigReference;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/** Judges what {@code run} would be configured by, and shows what holds. Opens nothing. */
@Command(
        name = "config",
        description = "Judges a configuration, and shows what holds.",
        mixinStandardHelpOptions = true,
        versionProvider = VersionProvider.class,
        sortOptions = false,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the configuration can be used", "2:usage, or a configuration that cannot be used"},
        footer = {"", "It takes the same flags as spream run, and shows no secret."})
final class ConfigCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Mixin
    private final ConfigArguments arguments = new ConfigArguments();

    @Option(names = "--explain", description = "List every key: what holds and why, its type, default and meaning.")
    private boolean explain;

    @Option(names = "--markdown", hidden = true, description = "List every key as the README does.")
    private boolean markdown;

    @Unmatched
    private final List<String> others = new ArrayList<>();

    @Override
    public Integer call() {
        verbosity.apply();
        ConfigCheck check = ConfigCheck.of(arguments.config(others));
        PrintWriter out = spec.commandLine().getOut();
        if (markdown) {
            out.print(ConfigReference.markdown(check.entries()));
            out.flush();
            return ExitCode.OK;
        }
        out.print(explain ? ConfigReference.text(check.entries()) : configured(check.entries()));
        out.flush();
        if (!check.problems().isEmpty()) {
            throw new ConfigException(check.problems());
        }
        spec.commandLine().getErr().println("config: the configuration is fine");
        return ExitCode.OK;
    }

    /** What was said, rather than left to its default. */
    private static String configured(List<ConfigEntry> entries) {
        return entries.stream()
                .filter(entry -> entry.inUse() && !entry.origin().equals("default"))
                .flatMap(entry ->
                        entry
                                .value()
                                .map(value -> "%s = %s  (%s)%n".formatted(entry.key(), value, entry.origin()))
                                .stream())
                .collect(Collectors.joining());
    }
}
