package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionState;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.SpannerPartitionStorage;
import java.io.Serial;
import java.util.function.Function;

/**
 * A subscription in a table of a Spanner database, opened with the default credentials of the machine unless a file is
 * set. Immutable.
 */
public final class SpannerSubscription implements StoredSubscription {
    @Serial
    private static final long serialVersionUID = 1;

    private final String database;
    private final String table;
    private final SpannerSettings settings;

    private SpannerSubscription(String database, String table, SpannerSettings settings) {
        this.database = database;
        this.table = table;
        this.settings = settings;
    }

    /**
     * Returns a subscription.
     *
     * @param database {@code projects/<project>/instances/<instance>/databases/<database>}
     * @param table the table of its partitions
     * @throws IllegalArgumentException if that is no name of a database
     */
    public static SpannerSubscription of(String database, String table) {
        DatabaseName.parse(database);
        return new SpannerSubscription(database, requireNonNull(table, "table"), SpannerSettings.DEFAULTS);
    }

    /** Returns the subscription on an emulator at {@code host:port}. */
    public SpannerSubscription emulatorHost(String host) {
        return new SpannerSubscription(database, table, settings.withEmulatorHost(requireNonNull(host, "host")));
    }

    /** Returns the subscription as that role of the database may read and write it. */
    public SpannerSubscription databaseRole(String role) {
        return new SpannerSubscription(database, table, settings.withDatabaseRole(requireNonNull(role, "role")));
    }

    /**
     * Returns the subscription at that server: {@code host:port} or {@code https://host}.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    public SpannerSubscription endpoint(String endpoint) {
        SpannerConnection.builder(DatabaseName.parse(database)).endpoint(endpoint); // it knows the form
        return new SpannerSubscription(database, table, settings.withEndpoint(endpoint));
    }

    /**
     * Returns the subscription with the credentials of a file.
     *
     * @param file the path on each machine
     */
    public SpannerSubscription credentialsFile(String file) {
        return new SpannerSubscription(database, table, settings.withCredentialsFile(requireNonNull(file, "file")));
    }

    @Override
    public SubscriptionState read() {
        return call(SubscriptionState::ofStopped);
    }

    /** Calls that with the storage, on a connection of its own, which is closed then. */
    public <T> T call(Function<PartitionStorage, T> action) {
        SpannerConnection.Builder builder = settings.applyTo(
                SpannerConnection.builder(DatabaseName.parse(database)).maxOpenQueries(1));
        try (SpannerConnection connection = builder.open();
                PartitionStorage storage = SpannerPartitionStorage.open(connection, table)) {
            return action.apply(storage);
        }
    }
}
