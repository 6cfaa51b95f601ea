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

/** A storage that a command line names; nothing is opened yet. */
public sealed interface StorageChoice {

    /** Forgotten when the process ends, and seen by no other. */
    record Memory() implements StorageChoice {
        /** Not by its plug-in, which warns those that did not ask for it. */
        @Override
        public OpenStorage open(String stream) {
            return new OpenStorage(new InMemoryPartitionStorage(), "memory", () -> {});
        }

        @Override
        public OpenStorage openExisting() {
            return open("");
        }
    }

    /** Kept by a plug-in: it outlives the process, and other workers see it. */
    sealed interface Shared extends StorageChoice {

        String plugin();

        Map<String, String> settings();

        /** Which of several subscriptions at the same place; empty where there is one, or the stream's name shall do. */
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
     * @param subscription which one; empty for the only one that is stored
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

        /** Without leave to alter tables. */
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
                    throw new CommandFailure("schema %s of %s has %s: name one with --subscription"
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

    /** Tables of a Spanner database. */
    record Spanner(DatabaseName database, String table, boolean create, Optional<String> emulatorHost)
            implements Shared {
        /** The same tables, made where they are missing. */
        public Spanner creating() {
            return new Spanner(database, table, true, emulatorHost);
        }

        @Override
        public String plugin() {
            return "spanner";
        }

        @Override
        public Map<String, String> settings() {
            Map<String, String> settings = new LinkedHashMap<>(
                    Map.of("database", database.toString(), "table", table, "create-table", String.valueOf(create)));
            emulatorHost.ifPresent(host -> settings.put("emulator-host", host));
            return settings;
        }

        @Override
        public String toString() {
            return "table %s of %s".formatted(table, database);
        }
    }

    /**
     * Opens it for a reader, which may be the first: what is missing is made, in Spanner only if that was asked for.
     *
     * @param stream names the subscription where nothing else does
     */
    OpenStorage open(String stream);

    /** Opens it for a command that looks at what readers stored, and makes nothing. */
    OpenStorage openExisting();

    /** Returns whether what is stored outlives the process, and other workers see it. */
    default boolean isShared() {
        return this instanceof Shared;
    }
}
