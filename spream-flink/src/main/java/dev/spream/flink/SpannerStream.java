package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.source.ChangeStreamSource;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A change stream of Spanner, opened with the default credentials of each machine, on a connection of its own. Immutable.
 */
public final class SpannerStream implements ChangeStreamSourceFactory {
    @Serial
    private static final long serialVersionUID = 1;

    private final String database;
    private final String stream;
    private final @Nullable String emulatorHost;
    private final @Nullable String databaseRole;
    private final @Nullable Integer maxOpenQueries;

    private SpannerStream(
            String database,
            String stream,
            @Nullable String emulatorHost,
            @Nullable String databaseRole,
            @Nullable Integer maxOpenQueries) {
        this.database = database;
        this.stream = stream;
        this.emulatorHost = emulatorHost;
        this.databaseRole = databaseRole;
        this.maxOpenQueries = maxOpenQueries;
    }

    /**
     * Returns a change stream.
     *
     * @param database {@code projects/<project>/instances/<instance>/databases/<database>}
     * @param stream the name of the change stream
     * @throws IllegalArgumentException if that is no name of a database
     */
    public static SpannerStream of(String database, String stream) {
        DatabaseName.parse(database);
        return new SpannerStream(database, requireNonNull(stream, "stream"), null, null, null);
    }

    /** Returns the stream on an emulator at {@code host:port}. */
    public SpannerStream emulatorHost(String host) {
        return new SpannerStream(database, stream, requireNonNull(host, "host"), databaseRole, maxOpenQueries);
    }

    /** Returns the stream as that role of the database may read it. */
    public SpannerStream databaseRole(String role) {
        return new SpannerStream(database, stream, emulatorHost, requireNonNull(role, "role"), maxOpenQueries);
    }

    /**
     * Returns the stream with that many partitions at most that a subtask reads at the same time, each by a query that stays
     * open, from 1 to 25,500; 700 by default.
     *
     * @throws IllegalArgumentException if the number is not in that range
     */
    public SpannerStream maxOpenQueries(int queries) {
        SpannerConnection.builder(DatabaseName.parse(database)).maxOpenQueries(queries); // it knows the range
        return new SpannerStream(database, stream, emulatorHost, databaseRole, queries);
    }

    @Override
    public ChangeStreamSource open() {
        SpannerConnection.Builder connection = SpannerConnection.builder(DatabaseName.parse(database));
        if (emulatorHost != null) {
            connection.emulatorHost(emulatorHost);
        }
        if (databaseRole != null) {
            connection.databaseRole(databaseRole);
        }
        if (maxOpenQueries != null) {
            connection.maxOpenQueries(maxOpenQueries);
        }
        SpannerConnection open = connection.open();
        try {
            return open.source(stream).ownsConnection().build();
        } catch (IllegalArgumentException e) {
            open.close(); // that is no name of a stream
            throw e;
        }
    }
}
