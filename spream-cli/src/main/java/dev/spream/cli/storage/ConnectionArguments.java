package dev.spream.cli.storage;

import static dev.spream.cli.command.UsageFailure.require;

import dev.spream.cli.command.DurationArgument;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags of connections to Spanner: that of the stream, and that of a storage in Spanner. */
final class ConnectionArguments {
    @Option(
            names = "--emulator-host",
            paramLabel = "HOST:PORT",
            description = "An emulator to use. Default: the environment's SPANNER_EMULATOR_HOST, if set.")
    private @Nullable String emulatorHost;

    @Option(
            names = "--endpoint",
            paramLabel = "HOST:PORT",
            description = "The server, such as a regional or private endpoint, reached by TLS. Default:"
                    + " spanner.googleapis.com:443.")
    private @Nullable String endpoint;

    @Option(
            names = "--credentials-file",
            paramLabel = "FILE",
            description = "A file with the key of a service account or the configuration of a workload identity, as"
                    + " JSON. Default: the application default credentials.")
    private @Nullable Path credentialsFile;

    @Option(
            names = "--channels",
            paramLabel = "N",
            description = "Number of gRPC channels, 2 to 256; a hundred partitions are read by each but the first."
                    + " Default: 8.")
    private @Nullable Integer channels;

    @Option(
            names = "--keep-alive-time",
            paramLabel = "DURATION",
            description = "Time without an answer after which a connection is checked, 10s to 1h. Default: 10s.")
    private @Nullable Duration keepAliveTime;

    /** Returns the emulator, which is reachable. */
    Optional<String> emulator() {
        return EmulatorHost.find(emulatorHost);
    }

    /** Returns the emulator of the flag or the environment, unchecked. */
    Optional<String> namedEmulator() {
        return EmulatorHost.named(emulatorHost);
    }

    /** Returns the settings as keys of source and storage. */
    Map<String, String> keys() {
        check();
        return keys(emulator());
    }

    /** Returns the same without the emulator of the environment. */
    Map<String, String> keysOfFlags() {
        check();
        return keys(emulatorHost == null ? Optional.empty() : emulator());
    }

    private Map<String, String> keys(Optional<String> emulator) {
        Map<String, String> keys = new LinkedHashMap<>();
        emulator.ifPresent(host -> keys.put("emulator-host", host));
        put(keys, "endpoint", endpoint);
        put(keys, "credentials-file", credentialsFile);
        put(keys, "channels", channels);
        put(keys, "keep-alive-time", keepAliveTime == null ? null : DurationArgument.format(keepAliveTime));
        return keys;
    }

    private static void put(Map<String, String> keys, String key, @Nullable Object value) {
        if (value != null) {
            keys.put(key, value.toString());
        }
    }

    /** Validates the flags; connects to nothing. */
    void check() {
        require(
                emulatorHost == null || (endpoint == null && credentialsFile == null),
                "--emulator-host cannot be combined with --endpoint or --credentials-file: name the emulator, or Spanner");
        namedEmulator()
                .ifPresent(host -> require(
                        endpoint == null && credentialsFile == null,
                        "%s is given, and SPANNER_EMULATOR_HOST is set to %s: leave out one of them"
                                .formatted(endpoint == null ? "--credentials-file" : "--endpoint", host)));
        require(channels == null || channels > 1, "--channels is %d, must be 2 to 256".formatted(channels));
        SourceKeys.check("endpoint", endpoint);
        SourceKeys.check("channels", channels);
        SourceKeys.check("keep-alive-time", keepAliveTime == null ? null : DurationArgument.format(keepAliveTime));
    }

    /** Returns the options of a connection for calls other than change stream queries. */
    SpannerConnection.Builder options(DatabaseName database) {
        check();
        SpannerConnection.Builder options = SpannerConnection.builder(database).maxOpenQueries(1);
        emulator().ifPresent(options::emulatorHost);
        if (endpoint != null) {
            options.endpoint(endpoint);
        }
        if (credentialsFile != null) {
            options.credentialsFile(credentialsFile);
        }
        if (keepAliveTime != null) {
            options.keepAliveTime(keepAliveTime);
        }
        return options;
    }
}
