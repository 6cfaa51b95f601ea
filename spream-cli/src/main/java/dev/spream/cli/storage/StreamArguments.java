package dev.spream.cli.storage;

import static dev.spream.cli.command.UsageFailure.required;

import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.StreamName;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags that select a change stream, common to all commands. */
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

    @Mixin
    private final ConnectionArguments connection = new ConnectionArguments();

    public Optional<DatabaseName> database() {
        return Optional.ofNullable(database);
    }

    /** Returns the stream, whose name is valid. */
    public Optional<String> stream() {
        return Optional.ofNullable(stream).map(name -> required("--stream: ", () -> new StreamName(name).value()));
    }

    /** Returns the emulator, which is reachable. */
    public Optional<String> emulator() {
        return connection.emulator();
    }

    /** Returns the emulator of the flag or the environment, unchecked. */
    public Optional<String> namedEmulator() {
        return connection.namedEmulator();
    }

    /** Validates the flags of the connection; connects to nothing. */
    void checkConnection() {
        connection.check();
    }

    /** Returns the settings of a connection, as keys of source and storage. */
    Map<String, String> connection() {
        return connection.keys();
    }

    /** Returns the same without the emulator of the environment. */
    Map<String, String> connectionOfFlags() {
        return connection.keysOfFlags();
    }

    /** Connects to a database for calls other than change stream queries. */
    public SpannerConnection connect(DatabaseName other) {
        return required("", () -> connection.options(other).open());
    }
}
