package dev.spream.cli.storage;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.plugin.OpenPlugin;
import dev.spream.api.spi.PartitionStorageProvider;
import dev.spream.cli.command.CommandFailure;
import dev.spream.core.partition.InMemoryPartitionStorage;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.spanner.DatabaseName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A storage selected by flags, not opened yet. */
public sealed interface StorageChoice {

    /** A storage in memory, which is lost when the process ends. */
    record Memory() implements StorageChoice {
        /** Opened without its plug-in, whose warning does not apply to an explicit choice. */
        @Override
        public OpenStorage open(String stream) {
            return new OpenStorage(new InMemoryPartitionStorage(), "memory", () -> {});
        }

        @Override
        public OpenStorage openExisting() {
            return open("");
        }
    }

    /** A storage opened by a plug-in, persistent and shared with other workers. */
    sealed interface Shared extends StorageChoice {

        String plugin();

        Map<String, String> settings();

        /** Returns the subscription to use; empty for the only one, or for the name of the stream. */
        default Optional<String> subscription() {
            return Optional.empty();
        }

        @Override
        default OpenStorage open(String stream) {
            return open(settings(), stream);
        }

        @Override
        default OpenStorage openExisting() {
            return open(settings(), "");
        }

        private OpenStorage open(Map<String, String> settings, String stream) {
            OpenPlugin<PartitionStorage> opened = FlagPlugins.open(
                    PartitionStorageProvider.class,
                    plugin(),
                    settings,
                    subscription().orElse(stream));
            return new OpenStorage(opened.product(), toString(), opened::close);
        }
    }

    /**
     * A schema of a PostgreSQL database.
     *
     * @param subscription the name; empty for the only stored one
     */
    record Jdbc(
            String url, Optional<String> user, Optional<String> password, String schema, Optional<String> subscription)
            implements Shared {
        @Override
        public String plugin() {
            return "jdbc";
        }

        @Override
        public Map<String, String> settings() {
            Map<String, String> settings = new LinkedHashMap<>(Map.of("url", url, "schema", schema));
            user.ifPresent(name -> settings.put("user", name));
            password.ifPresent(secret -> settings.put("password", secret));
            return settings;
        }

        /** Opens it without permission to alter tables. */
        @Override
        public OpenStorage openExisting() {
            Jdbc only = new Jdbc(url, user, password, schema, subscription.or(() -> Optional.of(onlySubscription())));
            Map<String, String> settings = only.settings();
            settings.put("migrate", "false");
            return ((Shared) only).open(settings, "");
        }

        private String onlySubscription() {
            try (HikariDataSource pool = JdbcPool.open(url, user, password)) {
                List<String> stored = JdbcPartitionStorage.subscriptions(pool, schema);
                if (stored.size() != 1) {
                    throw new CommandFailure("schema %s of %s has %s: select one with --subscription"
                            .formatted(
                                    schema,
                                    url,
                                    stored.isEmpty()
                                            ? "no subscription"
                                            : "the subscriptions " + String.join(", ", stored)));
                }
                return stored.getFirst();
            } catch (IllegalArgumentException e) {
                throw new CommandFailure(String.valueOf(e.getMessage()), e);
            }
        }

        @Override
        public String toString() {
            return "%sschema %s of %s"
                    .formatted(
                            subscription.map("subscription %s in "::formatted).orElse(""), schema, url);
        }
    }

    /**
     * Tables of a Spanner database.
     *
     * @param connection the keys of the connection
     */
    record Spanner(DatabaseName database, String table, boolean create, Map<String, String> connection)
            implements Shared {
        /** Returns the same tables, created if missing. */
        public Spanner creating() {
            return new Spanner(database, table, true, connection);
        }

        @Override
        public String plugin() {
            return "spanner";
        }

        @Override
        public Map<String, String> settings() {
            Map<String, String> settings = new LinkedHashMap<>(
                    Map.of("database", database.toString(), "table", table, "create-table", String.valueOf(create)));
            settings.putAll(connection);
            return settings;
        }

        @Override
        public String toString() {
            return "table %s of %s".formatted(table, database);
        }
    }

    /**
     * Opens the storage for a reader, which may be the first. Missing tables are created, in Spanner only on request.
     *
     * @param stream the name of the subscription if no other is given
     */
    OpenStorage open(String stream);

    /** Opens the storage for a command that inspects stored partitions; creates nothing. */
    OpenStorage openExisting();

    /** Returns whether the storage is persistent and shared with other workers. */
    default boolean isShared() {
        return this instanceof Shared;
    }
}
