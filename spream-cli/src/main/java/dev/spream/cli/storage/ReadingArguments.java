package dev.spream.cli.storage;

import static dev.spream.cli.command.UsageFailure.require;

import com.google.cloud.spanner.Options.RpcPriority;
import dev.spream.cli.command.DurationArgument;
import dev.spream.cli.command.UsageFailure;
import dev.spream.storage.spanner.DatabaseName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of commands that query a change stream. */
public final class ReadingArguments {
    public static final List<String> NAMES = List.of(
            "--read-function", "--directed-reads", "--priority", "--role", "--request-tag", "--connect-timeout");

    private static final int STREAMS_PER_CHANNEL = 100;
    private static final Duration MIN_CONNECT_TIMEOUT = Duration.ofMillis(100);
    private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofMinutes(5);

    @Option(
            names = "--read-function",
            paramLabel = "NAME",
            description = "The function that reads the stream, such as the one of a placement. Default: that of the"
                    + " whole stream.")
    private @Nullable String readFunction;

    @Option(
            names = "--directed-reads",
            paramLabel = "REPLICAS",
            description = "Replicas that serve the stream: include:us-east1/read-only,us-east4 in this order; only:"
                    + " uses no others, exclude: avoids them. Default: any.")
    private @Nullable String directedReads;

    @Option(
            names = "--priority",
            paramLabel = "LEVEL",
            description = "Request priority of the queries: low, medium or high. Default: high.")
    private @Nullable RpcPriority priority;

    @Option(names = "--role", paramLabel = "NAME", description = "Database role used for reading.")
    private @Nullable String role;

    @Option(
            names = "--request-tag",
            paramLabel = "TAG",
            description = "Request tag, shown in Spanner's query statistics.")
    private @Nullable String requestTag;

    @Option(
            names = "--connect-timeout",
            paramLabel = "DURATION",
            description = "Time limit of a request for metadata of the stream, 100ms to 5m. Default: 10s.")
    private @Nullable Duration connectTimeout;

    /**
     * Validates the flags, and those of the stream; connects to nothing.
     *
     * @throws UsageFailure if the database or the stream is missing, or a value is invalid
     */
    public void check(StreamArguments stream) {
        require(stream.database().isPresent(), "--database is missing; --demo needs none");
        require(stream.stream().isPresent(), "--stream is missing");
        checkValues(stream);
    }

    /** Validates the flags that are given. */
    public void checkValues(StreamArguments stream) {
        require(
                connectTimeout == null
                        || (connectTimeout.compareTo(MIN_CONNECT_TIMEOUT) >= 0
                                && connectTimeout.compareTo(MAX_CONNECT_TIMEOUT) <= 0),
                "--connect-timeout is %s, must be 100ms to 5m"
                        .formatted(connectTimeout == null ? "" : DurationArgument.format(connectTimeout)));
        SourceKeys.check("read-function", readFunction);
        SourceKeys.check("directed-reads", directedReads);
        stream.checkConnection();
    }

    /** Returns the flags as keys of the source, with those of its connection. An emulator is reachable. */
    public Map<String, String> keys(StreamArguments stream) {
        return keys(stream, stream.connection());
    }

    /** Returns the same, without the emulator of the environment, which the source finds itself. */
    public Map<String, String> keysOfFlags(StreamArguments stream) {
        return keys(stream, stream.connectionOfFlags());
    }

    private Map<String, String> keys(StreamArguments stream, Map<String, String> connection) {
        Map<String, String> keys = new LinkedHashMap<>(connection);
        Optional.ofNullable(keys.get("channels"))
                .map(Integer::parseInt)
                .ifPresent(
                        channels -> keys.put("max-open-queries", String.valueOf((channels - 1) * STREAMS_PER_CHANNEL)));
        put(keys, "database", stream.database().map(DatabaseName::toString).orElse(null));
        put(keys, "stream", stream.stream().orElse(null));
        put(keys, "priority", priority == null ? null : priority.name().toLowerCase(Locale.ROOT));
        put(keys, "connect-timeout", connectTimeout == null ? null : DurationArgument.format(connectTimeout));
        put(keys, "role", role);
        put(keys, "request-tag", requestTag);
        put(keys, "read-function", readFunction);
        put(keys, "directed-reads", directedReads);
        return keys;
    }

    private static void put(Map<String, String> keys, String key, @Nullable String value) {
        if (value != null) {
            keys.put(key, value);
        }
    }
}
