package dev.spream.cli.command;

import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.config.Suggestion;
import dev.spream.api.plugin.PluginOrigin;
import dev.spream.api.spi.Port;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The flags of commands that take everything from the configuration, of which every key is a flag too. */
public final class ConfigArguments {
    private static final String DEFAULT_STORE = "jdbc";
    private static final Path DEFAULT_FILE = Path.of("spream.properties");

    /** What picocli appends to the rest of a group of short options. */
    private static final Pattern PICOCLI_REMARK = Pattern.compile(" \\(while processing option: '.*'\\)$");

    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Mixin
    private final Verbosity verbosity = new Verbosity();

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Configuration file. Default: spream.properties in the current folder, if present.")
    private @Nullable Path file;

    /** A key of the plug-in that fills a port, and what a short flag says of it; null if it was not given. */
    public record Setting(String key, @Nullable Object value) {}

    /** Lets commands with these flags take arguments that are none of their own. A mixin cannot say so by itself. */
    public static void take(CommandLine commands) {
        commands.getSubcommands().values().forEach(ConfigArguments::take);
        if (isIn(commands.getCommandSpec())) {
            commands.getCommandSpec().parser().unmatchedArgumentsAllowed(true);
        }
    }

    private static boolean isIn(CommandSpec part) {
        return part.userObject() instanceof ConfigArguments
                || part.mixins().values().stream().anyMatch(ConfigArguments::isIn);
    }

    /** File, environment and flags, the last of which win. */
    public SpreamConfig config() {
        return config(others());
    }

    private List<String> others() {
        return command.commandLine().getParseResult().unmatched();
    }

    /**
     * The same, with short flags for keys of a plug-in, so that what is in a database needs no file: {@code jdbc} is meant if
     * no other is configured.
     */
    public SpreamConfig config(Port<?> port, List<Setting> settings) {
        SpreamConfig said = config();
        List<String> flags = new ArrayList<>(others());
        if (!said.mayConfigure(port.key())) {
            flags.add("--%s=%s".formatted(port.key(), DEFAULT_STORE));
        }
        String prefix = prefix(said, port);
        for (Setting setting : settings) {
            if (setting.value() != null) {
                flags.add("--%s%s=%s".formatted(prefix, setting.key(), setting.value()));
            }
        }
        return config(flags);
    }

    /** The same for an operator: tables are neither created nor migrated, unless the configuration says so. */
    public SpreamConfig unmigrated(Port<?> port, List<Setting> settings) {
        SpreamConfig said = config(port, settings);
        boolean migrating = said.raw(port.key()).filter(DEFAULT_STORE::equals).isPresent()
                && !said.mayConfigure(prefix(said, port) + "migrate");
        return migrating
                ? config(
                        port,
                        Stream.concat(settings.stream(), Stream.of(new Setting("migrate", false)))
                                .toList())
                : said;
    }

    /** How the keys of the plug-in begin that fills a port, with the dot at the end. */
    public static String prefix(SpreamConfig config, Port<?> port) {
        return "%s.%s.".formatted(port.key(), config.raw(port.key()).orElse(DEFAULT_STORE));
    }

    private SpreamConfig config(List<String> flags) {
        verbosity.apply();
        SpreamConfig.Builder config = SpreamConfig.builder().environment(System.getenv());
        file().ifPresent(config::file);
        addFlags(flags, config);
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

    private void addFlags(List<String> flags, SpreamConfig.Builder config) {
        Set<String> seen = new HashSet<>();
        for (Iterator<String> arguments = flags.iterator(); arguments.hasNext(); ) {
            String argument = PICOCLI_REMARK.matcher(arguments.next()).replaceFirst("");
            if (!argument.startsWith("--") || argument.length() == 2) {
                throw new UsageFailure(
                        "unknown %s '%s'".formatted(argument.startsWith("-") ? "option" : "argument", argument));
            }
            String[] parts = argument.substring(2).split("=", 2);
            ownOption(parts[0]).ifPresent(option -> {
                throw new UsageFailure("unknown option '--%s'; did you mean '--%s'?".formatted(parts[0], option));
            });
            if (!seen.add(parts[0])) {
                throw new UsageFailure("--%s is given twice: take one away".formatted(parts[0]));
            }
            if (parts.length == 1 && !arguments.hasNext()) {
                throw new UsageFailure("--%s has no value: write --%s=VALUE".formatted(parts[0], parts[0]));
            }
            config.flag(parts[0], parts.length == 2 ? parts[1] : value(parts[0], arguments.next()));
        }
    }

    /** A flag behind a flag is no value; one that looks so can be given with an equals sign. */
    private String value(String flag, String next) {
        if (next.startsWith("--")) {
            throw new UsageFailure("--%s has no value: write --%s=VALUE".formatted(flag, flag));
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
}
