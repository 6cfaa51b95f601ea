package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.source.ChangeStreamSource;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerChangeStreamSource;
import dev.spream.storage.spanner.SpannerConnection;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * A change stream of Spanner, opened on a connection of its own on each machine, with its default credentials unless a
 * file is set. Immutable.
 */
public final class SpannerStream implements ChangeStreamSourceFactory {
    @Serial
    private static final long serialVersionUID = 1;

    private final String database;
    private final String stream;
    private final SpannerSettings settings;
    private final @Nullable Integer maxOpenQueries;
    private final @Nullable String readFunction;

    private SpannerStream(
            String database,
            String stream,
            SpannerSettings settings,
            @Nullable Integer maxOpenQueries,
            @Nullable String readFunction) {
        this.database = database;
        this.stream = stream;
        this.settings = settings;
        this.maxOpenQueries = maxOpenQueries;
        this.readFunction = readFunction;
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
        return new SpannerStream(database, requireNonNull(stream, "stream"), SpannerSettings.DEFAULTS, null, null);
    }

    /** Returns the stream on an emulator at {@code host:port}. */
    public SpannerStream emulatorHost(String host) {
        return with(settings.withEmulatorHost(requireNonNull(host, "host")));
    }

    /** Returns the stream as that role of the database may read it. */
    public SpannerStream databaseRole(String role) {
        return with(settings.withDatabaseRole(requireNonNull(role, "role")));
    }

    /**
     * Returns the stream at that server, such as a regional or private endpoint: {@code host:port} or
     * {@code https://host}.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    public SpannerStream endpoint(String endpoint) {
        SpannerConnection.builder(DatabaseName.parse(database)).endpoint(endpoint); // it knows the form
        return with(settings.withEndpoint(endpoint));
    }

    /**
     * Returns the stream with the credentials of a file: the key of a service account or the configuration of a workload
     * identity.
     *
     * @param file the path on each machine
     */
    public SpannerStream credentialsFile(String file) {
        return with(settings.withCredentialsFile(requireNonNull(file, "file")));
    }

    /** Returns the stream read by that function, such as the one of a placement. */
    public SpannerStream readFunction(String name) {
        return new SpannerStream(database, stream, settings, maxOpenQueries, requireNonNull(name, "name"));
    }

    /**
     * Returns the stream served by those replicas.
     *
     * @param replicas such as {@code include:us-east1/read-only,us-east4}, preferred in this order; {@code only:} uses no
     *     others, {@code exclude:} avoids them
     * @throws IllegalArgumentException if the text has another form
     */
    public SpannerStream directedReads(String replicas) {
        SpannerConnection.builder(DatabaseName.parse(database)).directedReads(replicas); // it knows the form
        return with(settings.withDirectedReads(replicas));
    }

    /**
     * Returns the stream with that many partitions at most that a subtask reads at the same time, each by a query that stays
     * open, from 1 to 25,500; 700 by default.
     *
     * @throws IllegalArgumentException if the number is not in that range
     */
    public SpannerStream maxOpenQueries(int queries) {
        SpannerConnection.builder(DatabaseName.parse(database)).maxOpenQueries(queries); // it knows the range
        return new SpannerStream(database, stream, settings, queries, readFunction);
    }

    private SpannerStream with(SpannerSettings other) {
        return new SpannerStream(database, stream, other, maxOpenQueries, readFunction);
    }

    @Override
    public ChangeStreamSource open() {
        SpannerConnection.Builder connection =
                settings.applyTo(SpannerConnection.builder(DatabaseName.parse(database)));
        if (maxOpenQueries != null) {
            connection.maxOpenQueries(maxOpenQueries);
        }
        SpannerConnection open = connection.open();
        try {
            SpannerChangeStreamSource.Builder source = open.source(stream).ownsConnection();
            if (readFunction != null) {
                source.readFunction(readFunction);
            }
            return source.build();
        } catch (IllegalArgumentException e) {
            open.close(); // that is no name of a stream or function
            throw e;
        }
    }
}
