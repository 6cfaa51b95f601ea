package dev.spream.flink;

import static java.util.Objects.requireNonNull;

import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.SubscriptionState;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.SpannerPartitionStorage;
import java.io.Serial;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A subscription in a table of a Spanner database, opened with the default credentials of the machine. Immutable. */
public final class SpannerSubscription implements StoredSubscription {
    @Serial
    private static final long serialVersionUID = 1;

    private final String database;
    private final String table;
    private final @Nullable String emulatorHost;
    private final @Nullable String databaseRole;

    private SpannerSubscription(
            String database, String table, @Nullable String emulatorHost, @Nullable String databaseRole) {
        this.database = database;
        this.table = table;
        this.emulatorHost = emulatorHost;
        this.databaseRole = databaseRole;
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
        return new SpannerSubscription(database, requireNonNull(table, "table"), null, null);
    }

    /** Returns the subscription on an emulator at {@code host:port}. */
    public SpannerSubscription emulatorHost(String host) {
        return new SpannerSubscription(database, table, requireNonNull(host, "host"), databaseRole);
    }

    /** Returns the subscription as that role of the database may read and write it. */
    public SpannerSubscription databaseRole(String role) {
        return new SpannerSubscription(database, table, emulatorHost, requireNonNull(role, "role"));
    }

    @Override
    public SubscriptionState read() {
        return call(SubscriptionState::ofStopped);
    }

    /** Calls that with the storage, on a connection of its own, which is closed then. */
    public <T> T call(Function<PartitionStorage, T> action) {
        SpannerConnection.Builder builder =
                SpannerConnection.builder(DatabaseName.parse(database)).maxOpenQueries(1);
        if (emulatorHost != null) {
            builder.emulatorHost(emulatorHost);
        }
        if (databaseRole != null) {
            builder.databaseRole(databaseRole);
        }
        try (SpannerConnection connection = builder.open();
                PartitionStorage storage = SpannerPartitionStorage.open(connection, table)) {
            return action.apply(storage);
        }
    }
}
