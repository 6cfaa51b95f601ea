package dev.spream.cli;

import dev.spream.api.ConfigCheck;
import dev.spream.api.config.ConfigEntry;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.ConfigReference;
import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.Subcommand;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Validates the configuration of {@code run} and shows the effective values. Opens nothing. */
@Command(
        name = "config",
        description = "Validates a configuration and shows the effective values.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the configuration is valid", "2:usage error or invalid configuration"},
        footer = {"", "It takes the same flags as spream run. Secrets are not shown."})
final class ConfigCommand extends Subcommand {
    @Mixin
    private final ConfigArguments arguments = new ConfigArguments();

    @Option(names = "--explain", description = "List every key: its value and origin, type, default and meaning.")
    private boolean explain;

    @Option(names = "--markdown", hidden = true, description = "List every key in the format of docs/configuration.md.")
    private boolean markdown;

    @Override
    public Integer call() {
        ConfigCheck check = ConfigCheck.of(arguments.config());
        if (markdown) {
            print(ConfigReference.markdown(check.entries()).lines().toList());
            return ExitCode.OK;
        }
        print(explain ? ConfigReference.text(check.entries()).lines().toList() : configured(check.entries()));
        if (!check.problems().isEmpty()) {
            throw new ConfigException(check.problems());
        }
        report("config: the configuration is valid");
        return ExitCode.OK;
    }

    /** Returns the lines of the configured keys, without those at their defaults. */
    private static List<String> configured(List<ConfigEntry> entries) {
        return entries.stream()
                .filter(entry -> entry.inUse() && !entry.origin().equals("default"))
                .flatMap(entry -> entry.value().stream()
                        .map(value -> "%s = %s  (%s)".formatted(entry.key(), value, entry.origin())))
                .toList();
    }
}
