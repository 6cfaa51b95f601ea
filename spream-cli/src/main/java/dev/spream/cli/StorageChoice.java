package dev.spream.cli;

import dev.spream.storage.spanner.DatabaseName;
import java.util.Optional;

/** A storage that a command line names; nothing is opened yet. */
sealed interface StorageChoice {

    /** Forgotten when the process ends, and seen by no other. */
    record Memory() implements StorageChoice {}

    /**
     * A schema of a PostgreSQL database.
     *
     * @param schema empty for the storage's own default
     * @param subscription empty for the only one that is stored
     */
    record Jdbc(
            String url,
            Optional<String> user,
            Optional<String> password,
            Optional<String> schema,
            Optional<String> subscription)
            implements StorageChoice {
        @Override
        public String toString() {
            return subscription.map("subscription %s at "::formatted).orElse("") + url;
        }
    }

    /** Tables of a Spanner database. */
    record Spanner(DatabaseName database, String table, boolean create, Optional<String> emulatorHost)
            implements StorageChoice {
        /** The same tables, made where they are missing. */
        Spanner creating() {
            return new Spanner(database, table, true, emulatorHost);
        }

        @Override
        public String toString() {
            return "table %s of %s".formatted(table, database);
        }
    }

    /** Whether what is stored outlives the process, and other workers see it. */
    default boolean isShared() {
        return !(this instanceof Memory);
    }
}
