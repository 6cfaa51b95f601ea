package dev.spream.cli.outbox;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.OutboxStoreProvider;
import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.ConfigArguments.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The flags of commands for the configured outbox. Short flags stand for configuration keys, so that an outbox in a
 * database needs no file.
 */
final class OutboxArguments {
    @Mixin
    private final ConfigArguments config = new ConfigArguments();

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "The database, for outbox.jdbc.url: jdbc:postgresql://<host>/<database>, jdbc:mysql://… or"
                    + " jdbc:mariadb://…. The password comes"
                    + " from the file or SPREAM_CONFIG_OUTBOX_JDBC_PASSWORD, not from a flag, which others on the"
                    + " machine could see.")
    private @Nullable String url;

    @Option(names = "--user", paramLabel = "NAME", description = "Database user, for outbox.jdbc.user.")
    private @Nullable String user;

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            description = "Schema of the tables, for outbox.jdbc.schema; in MySQL and MariaDB, a database.")
    private @Nullable String schema;

    @Option(names = "--table", paramLabel = "NAME", description = "The table of the entries, for outbox.jdbc.table.")
    private @Nullable String table;

    /**
     * Opens the outbox for an operator. Tables are neither created nor migrated, unless configured. The caller closes
     * it. Does not connect yet.
     */
    ConfiguredOutbox open() {
        return ConfiguredOutbox.open(config.unmigrated(OutboxStoreProvider.PORT, settings()));
    }

    /** Returns the configuration, not validated yet. */
    SpreamConfig config() {
        return config.config(OutboxStoreProvider.PORT, settings());
    }

    private List<Setting> settings() {
        return List.of(
                new Setting("url", url),
                new Setting("user", user),
                new Setting("schema", schema),
                new Setting("table", table));
    }
}
