package dev.spream.cli.storage;

import dev.spream.storage.spanner.DatabaseName;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** A storage that a command line names; nothing is opened yet. */
public sealed interface StorageChoice {

    /** Forgotten when the process ends, and seen by no other. */
    record Memory() implements StorageChoice {}

    /** Kept by a plug-in: it outlives the process, and other workers see it. */
    sealed interface Shared extends StorageChoice {

        /** What the plug-in is called. */
        String plugin();

        /** The values of its keys. */
        Map<String, String> settings();

        /** Which of several subscriptions at the same place; empty where there is one, or the stream's name shall do. */
        default Optional<String> subscription() {
            return Optional.empty();
        }
    }

    /**
     * A schema of a PostgreSQL database.
     *
     * @param named the subscription; empty for the only one that is stored
     */
    record Jdbc(String url, Optional<String> user, Optional<String> password, String schema, Optional<String> named)
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

        /** The settings of one who may not alter tables. */
        Map<String, String> settingsOfOperator() {
            Map<String, String> settings = settings();
            settings.put("migrate", "false");
            return settings;
        }

        @Override
        public Optional<String> subscription() {
            return named;
        }

        /** The same, with that subscription. */
        Jdbc named(String subscription) {
            return new Jdbc(url, user, password, schema, Optional.of(subscription));
        }

        @Override
        public String toString() {
            return "%sschema %s of %s"
                    .formatted(named.map("subscription %s in "::formatted).orElse(""), schema, url);
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

    /** Whether what is stored outlives the process, and other workers see it. */
    default boolean isShared() {
        return this instanceof Shared;
    }
}
