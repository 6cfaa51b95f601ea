package dev.spream.cli.storage;

import static dev.spream.cli.command.UsageFailure.required;

import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.StreamName;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The flags that name a change stream, the same in every command. */
public final class StreamArguments {
    @Option(
            names = {"-d", "--database"},
            paramLabel = "NAME",
            description = "The database: projects/<project>/instances/<instance>/databases/<database>.")
    private @Nullable DatabaseName database;

    @Option(
            names = {"-s", "--stream"},
            paramLabel = "NAME",
            description = "The change stream.")
    private @Nullable String stream;

    @Option(
            names = "--emulator-host",
            paramLabel = "HOST:PORT",
            description = "An emulator to use. Default: the environment's SPANNER_EMULATOR_HOST, if set.")
    private @Nullable String emulatorHost;

    public Optional<DatabaseName> database() {
        return Optional.ofNullable(database);
    }

    /** The stream, which has a name that a stream can have. */
    public Optional<String> stream() {
        return Optional.ofNullable(stream).map(name -> required("--stream: ", () -> new StreamName(name).value()));
    }

    /** The emulator, which answers. */
    public Optional<String> emulator() {
        return EmulatorHost.find(emulatorHost);
    }

    /** What flag or environment say, unchecked. */
    public Optional<String> namedEmulator() {
        return EmulatorHost.named(emulatorHost);
    }

    /** A connection to a database for calls that are no change stream queries. */
    public SpannerConnection connect(DatabaseName other) {
        SpannerConnection.Builder options = SpannerConnection.builder(other).maxOpenQueries(1);
        emulator().ifPresent(options::emulatorHost);
        return options.open();
    }
}
