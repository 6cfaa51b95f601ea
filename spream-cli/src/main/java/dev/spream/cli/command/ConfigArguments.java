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
import java.util.List;
import java.util.ListIterator;
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

/** The flags of commands that are set up by the configuration; every key is a flag, too. */
public final class ConfigArguments {
    private static final String DEFAULT_STORE = "jdbc";
    /** The key that is true where its flag has no value. */
    private static final String SNAPSHOT = "snapshot";

    private static final Path DEFAULT_FILE = Path.of("spream.properties");

    /** The text that picocli appends to the rest of a group of short options. */
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

    /** A key, with the value of its short flag; null if the flag is absent. */
    public record Setting(String key, @Nullable Object value) {}

    /** Lets commands with these flags accept arguments that are not declared. A mixin cannot configure that itself. */
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

    /** Returns the configuration of file, environment and flags, by increasing priority. */
    public SpreamConfig config() {
        return config(others());
    }

    /** Returns the configuration with the short flag of a key. */
    public SpreamConfig config(Setting setting) {
        List<String> flags = new ArrayList<>(others());
        if (setting.value() != null) {
            String flag = "--" + setting.key();
            if (flags.stream().anyMatch(other -> other.equals(flag) || other.startsWith(flag + "="))) {
                throw new UsageFailure("%s is given, and a flag that sets it to %s: remove one of them"
                        .formatted(flag, setting.value()));
            }
            flags.add("%s=%s".formatted(flag, setting.value()));
        }
        return config(flags);
    }

    private List<String> others() {
        return command.commandLine().getParseResult().unmatched();
    }

    /**
     * Returns the configuration with short flags for keys of a plug-in, so that no file is needed; the plug-in is
     * {@code jdbc} if none is configured.
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

    /** Returns the same configuration for an operator: tables are neither created nor migrated, unless configured. */
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

    /** Returns the key prefix of the plug-in that fills a port, with the trailing dot. */
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
        for (ListIterator<String> arguments = flags.listIterator(); arguments.hasNext(); ) {
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
                throw new UsageFailure("--%s is given twice: remove one".formatted(parts[0]));
            }
            if (parts.length == 1 && parts[0].equals(SNAPSHOT) && isAlone(arguments)) {
                config.flag(SNAPSHOT, "true");
                continue;
            }
            if (parts.length == 1 && !arguments.hasNext()) {
                throw new UsageFailure("--%s has no value: write --%s=VALUE".formatted(parts[0], parts[0]));
            }
            config.flag(parts[0], parts.length == 2 ? parts[1] : value(parts[0], arguments.next()));
        }
    }

    /** Returns whether no value follows a flag. */
    private static boolean isAlone(ListIterator<String> following) {
        if (!following.hasNext()) {
            return true;
        }
        String next = following.next();
        following.previous();
        return next.startsWith("--");
    }

    /** Returns the value of a flag. A following flag is not a value; such a value is given with an equals sign. */
    private String value(String flag, String next) {
        if (next.startsWith("--")) {
            throw new UsageFailure("--%s has no value: write --%s=VALUE".formatted(flag, flag));
        }
        return next;
    }

    /**
     * Returns the option that an unknown one most likely stands for, if it is more similar to an option than to a key.
     */
    private Optional<String> ownOption(String word) {
        return Suggestion.nearest(
                word,
                command.commandLine().getCommandSpec().optionsMap().keySet().stream()
                        .filter(option -> option.startsWith("--"))
                        .map(option -> option.substring(2))
                        .toList());
    }
}
