package dev.spream.cli.subscription;

import dev.spream.api.config.SpreamConfig;
import dev.spream.cli.command.UsageFailure;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The flags with which {@code tail} delivers to a sink in place of the standard output. Keys of plug-ins are flags too,
 * as in {@code --sink.jsonl.path=FILE}.
 */
final class SinkArguments {
    static final List<String> NAMES = List.of("--sink", "--config", "--plugins");

    private static final String DEFAULT_SINK = "stdout";
    private static final String NAME = "tail"; // the same in each run: formats put it into changes
    private static final String LEDGER = "sink.jdbc.ledger";
    private static final String TRANSACTIONS = "sink.kafka.transactional-id";
    private static final Pattern KEY =
            Pattern.compile("--(?<key>[a-z][a-z0-9-]*(?:\\.[a-z0-9-]+)+)(?:=(?<value>.*))?", Pattern.DOTALL);

    @Spec(Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec command;

    @Option(
            names = "--sink",
            paramLabel = "NAME",
            description = "Deliver to this sink instead of printing: jsonl, webhook, or any other, with its keys from"
                    + " --config or as flags, such as --sink.jsonl.path=FILE.")
    private @Nullable String sink;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Configuration file, for the sink and all that no flag sets, except the storage and the sink"
                    + " itself: tail takes no changes from the workers of a service, and uses neither its dead letters nor its"
                    + " transactional-id. Default: none.")
    private @Nullable Path config;

    @Option(
            names = "--plugins",
            paramLabel = "DIR",
            description = "Folder of plug-ins, for --sink. Default: plugins, if present.")
    private @Nullable Path plugins;

    /**
     * Returns whether the changes are delivered to a sink.
     *
     * @throws UnmatchedArgumentException if an argument is neither an option nor a key of a plug-in
     */
    boolean given() {
        return !keys().isEmpty() || sink != null || config != null || plugins != null;
    }

    /** Returns a configuration of the file, the environment and these flags, to which the caller adds its own. */
    SpreamConfig.Builder builder() {
        SpreamConfig.Builder builder = SpreamConfig.builder().environment(System.getenv());
        if (config != null) {
            builder.file(config);
        }
        builder.flag("sink", sink == null ? DEFAULT_SINK : sink);
        Optional.ofNullable(plugins).ifPresent(folder -> builder.flag("plugins", folder.toString()));
        keys().forEach(builder::flag);
        return builder;
    }

    /**
     * Keeps a subscription whose state is in memory apart from the one of the file, which may be running: ledgers, logs and
     * dead letters under the name of the subscription are the service's, and so are its transactions, which another producer
     * with their id would fence.
     */
    void standApart(SpreamConfig.Builder configuration) {
        configuration.set("subscription", NAME).set("on-failure", "stop").set("decoding-failure", "stop");
        configuration.without("dead-letters").without(TRANSACTIONS);
        if (!keys().containsKey(LEDGER)) {
            configuration.set(LEDGER, NAME + "-" + UUID.randomUUID());
        }
    }

    /** Returns the keys of plug-ins that are given as flags. */
    private Map<String, String> keys() {
        CommandLine line = command.commandLine();
        Deque<String> arguments = new ArrayDeque<>(line.getParseResult().unmatched());
        Map<String, String> keys = new LinkedHashMap<>();
        while (!arguments.isEmpty()) {
            Matcher key = KEY.matcher(arguments.peek());
            if (!key.matches()) {
                throw new UnmatchedArgumentException(line, List.copyOf(arguments));
            }
            arguments.remove();
            String name = key.group("key");
            if (keys.put(name, value(name, key.group("value"), arguments)) != null) {
                throw new UsageFailure("--%s is given twice: remove one".formatted(name));
            }
        }
        return keys;
    }

    private static String value(String name, @Nullable String value, Deque<String> following) {
        if (value != null) {
            return value;
        }
        if (following.isEmpty() || following.peek().startsWith("--")) {
            throw new UsageFailure("--%s has no value: write --%s=VALUE".formatted(name, name));
        }
        return following.remove();
    }
}
