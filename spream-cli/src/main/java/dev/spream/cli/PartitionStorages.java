package dev.spream.cli;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.spanner.DatabaseName;
import dev.spream.storage.spanner.MetadataSetup;
import dev.spream.storage.spanner.SpannerConnection;
import dev.spream.storage.spanner.SpannerPartitionStorage;
import dev.spream.storage.spanner.SpannerPartitionTables;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** Opens the storage that a command line names: the one place that knows which kinds there are. */
final class PartitionStorages {
    private static final String DEFAULT_SCHEMA = "spream";

    private PartitionStorages() {}

    /**
     * Opens it for a reader, which may be the first: what is missing is made, in Spanner only if that was asked for.
     *
     * @param say tells the user what was found
     */
    static OpenStorage open(StorageChoice choice, Consumer<String> say) {
        return switch (choice) {
            case StorageChoice.Memory memory -> new OpenStorage(new InMemoryPartitionStorage(), "memory", () -> {});
            case StorageChoice.Jdbc jdbc -> jdbc(jdbc, true);
            case StorageChoice.Spanner spanner -> spanner(spanner, say);
        };
    }

    /** Opens it for a command that looks at what readers stored, and makes nothing. */
    static OpenStorage openExisting(StorageChoice choice) {
        return choice instanceof StorageChoice.Jdbc jdbc ? jdbc(jdbc, false) : open(choice, nothing -> {});
    }

    private static OpenStorage jdbc(StorageChoice.Jdbc choice, boolean migrate) {
        HikariDataSource pool = pool(choice);
        return closingOnFailure(pool::close, () -> {
            String subscription = choice.subscription().orElseGet(() -> onlySubscription(pool, choice));
            JdbcPartitionStorage.Builder storage =
                    JdbcPartitionStorage.builder(pool, subscription).migrate(migrate);
            choice.schema().ifPresent(storage::schema);
            String place = "subscription %s in schema %s of %s".formatted(subscription, schema(choice), choice.url());
            return new OpenStorage(storage.build(), place, pool::close);
        });
    }

    private static HikariDataSource pool(StorageChoice.Jdbc choice) {
        try {
            return JdbcPool.open(choice.url(), choice.user(), choice.password());
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(String.valueOf(e.getMessage()), e);
        }
    }

    private static String onlySubscription(DataSource dataSource, StorageChoice.Jdbc choice) {
        List<String> stored = JdbcPartitionStorage.subscriptions(dataSource, schema(choice));
        if (stored.size() != 1) {
            throw new CommandFailure("schema %s of %s has %s: name one with --subscription"
                    .formatted(
                            schema(choice),
                            choice.url(),
                            stored.isEmpty() ? "no subscription" : "the subscriptions " + String.join(", ", stored)));
        }
        return stored.getFirst();
    }

    private static String schema(StorageChoice.Jdbc choice) {
        return choice.schema().orElse(DEFAULT_SCHEMA);
    }

    /** On a connection of its own: no change stream query stands in its way, and the stream's role is not its. */
    private static OpenStorage spanner(StorageChoice.Spanner choice, Consumer<String> say) {
        SpannerConnection connection = connect(choice.database(), choice.emulatorHost());
        return closingOnFailure(connection::close, () -> {
            if (choice.create()) {
                MetadataSetup made = SpannerPartitionTables.create(connection, choice.table());
                if (made.outcome() == MetadataSetup.Outcome.ADOPTED) {
                    say.accept("adopted %d partitions of %s; do not start the reader again that made it"
                            .formatted(made.adopted(), choice));
                }
            }
            return new OpenStorage(
                    SpannerPartitionStorage.open(connection, choice.table()), choice.toString(), connection::close);
        });
    }

    /** A connection for calls that are no change stream queries. */
    static SpannerConnection connect(DatabaseName database, Optional<String> emulatorHost) {
        SpannerConnection.Builder options = SpannerConnection.builder(database).maxOpenQueries(1);
        emulatorHost.ifPresent(options::emulatorHost);
        return options.open();
    }

    /** Names that a storage refuses are the user's, and shown as such. */
    private static OpenStorage closingOnFailure(Runnable connection, Supplier<OpenStorage> opening) {
        try {
            return opening.get();
        } catch (IllegalArgumentException e) {
            connection.run();
            throw new CommandFailure(String.valueOf(e.getMessage()), e);
        } catch (RuntimeException e) {
            connection.run();
            throw e;
        }
    }
}
