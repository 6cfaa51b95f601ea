package dev.spream.cli;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.config.Suggestion;
import dev.spream.api.plugin.PluginOrigin;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The flags of commands that take everything from the configuration, of which every key is a flag too. */
final class ConfigArguments {
    private static final Path DEFAULT_FILE = Path.of("spream.properties");

    /** What picocli appends to the rest of a group of short options. */
    private static final Pattern PICOCLI_REMARK = Pattern.compile(" \\(while processing option: '.*'\\)$");

    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "A file with settings. Default: spream.properties, if it is here.")
    private @Nullable Path file;

    /**
     * File, environment and flags, the last of which win.
     *
     * @param others the arguments that are none of the command's own: {@code --key=value} or {@code --key value}
     */
    SpreamConfig config(List<String> others) {
        SpreamConfig.Builder config = SpreamConfig.builder().environment(System.getenv());
        file().ifPresent(config::file);
        addFlags(others, config);
        return config.build();
    }

    private Optional<Path> file() {
        return Optional.ofNullable(file)
                .or(() -> Optional.of(DEFAULT_FILE)
                        .filter(path -> Files.exists(path, LinkOption.NOFOLLOW_LINKS))
                        .map(ConfigArguments::trusted));
    }

    private static Path trusted(Path found) {
        PluginOrigin.ofFoundConfiguration(found).ifPresent(problem -> {
            throw new ConfigException(List.of(problem));
        });
        return found;
    }

    private void addFlags(List<String> others, SpreamConfig.Builder config) {
        Set<String> seen = new HashSet<>();
        for (Iterator<String> arguments = others.iterator(); arguments.hasNext(); ) {
            String argument = PICOCLI_REMARK.matcher(arguments.next()).replaceFirst("");
            if (!argument.startsWith("--") || argument.length() == 2) {
                throw usage("unknown %s '%s'".formatted(argument.startsWith("-") ? "option" : "argument", argument));
            }
            String[] parts = argument.substring(2).split("=", 2);
            ownOption(parts[0]).ifPresent(option -> {
                throw usage("unknown option '--%s'; did you mean '--%s'?".formatted(parts[0], option));
            });
            if (!seen.add(parts[0])) {
                throw usage("--%s is given twice: take one away".formatted(parts[0]));
            }
            if (parts.length == 1 && !arguments.hasNext()) {
                throw usage("--%s has no value: write --%s=VALUE".formatted(parts[0], parts[0]));
            }
            config.flag(parts[0], parts.length == 2 ? parts[1] : value(parts[0], arguments.next()));
        }
    }

    /** A flag behind a flag is no value; one that looks so can be given with an equals sign. */
    private String value(String flag, String next) {
        if (next.startsWith("--")) {
            throw usage("--%s has no value: write --%s=VALUE".formatted(flag, flag));
        }
        return next;
    }

    /** What was meant by an option that is neither the command's nor, most likely, a key. */
    private Optional<String> ownOption(String word) {
        return Suggestion.nearest(
                word,
                command.commandLine().getCommandSpec().optionsMap().keySet().stream()
                        .filter(option -> option.startsWith("--"))
                        .map(option -> option.substring(2))
                        .toList());
    }

    private ParameterException usage(String message) {
        return new ParameterException(command.commandLine(), message);
    }
}
