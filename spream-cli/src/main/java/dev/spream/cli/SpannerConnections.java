package dev.spream.cli;

import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.util.Optional;

/** Connections for calls that are no change stream queries. */
final class SpannerConnections {
    private SpannerConnections() {}

    static SpannerConnection open(DatabaseName database, Optional<String> emulatorHost) {
        SpannerConnection.Builder options = SpannerConnection.builder(database).maxOpenQueries(1);
        emulatorHost.ifPresent(options::emulatorHost);
        return options.open();
    }
}
