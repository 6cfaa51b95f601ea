package dev.spream.cli.projection;

import dev.spream.api.ConfiguredProjections;
import dev.spream.api.spi.ProjectionStoreProvider;
import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.ConfigArguments.Setting;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The flags of commands for the configured projections. Short flags stand for configuration keys, so that projections
 * in a database need no file.
 */
final class ProjectionArguments {
    @Mixin
    private final ConfigArguments config = new ConfigArguments();

    @Option(
            names = "--url",
            paramLabel = "URL",
            description =
                    "The database of the read models, for projections.jdbc.url: jdbc:postgresql://<host>/<database>."
                            + " The password comes from the file or SPREAM_CONFIG_PROJECTIONS_JDBC_PASSWORD, not from a flag,"
                            + " which others on the machine could see.")
    private @Nullable String url;

    @Option(names = "--user", paramLabel = "NAME", description = "Database user, for projections.jdbc.user.")
    private @Nullable String user;

    @Option(names = "--schema", paramLabel = "NAME", description = "Schema of the tables, for projections.jdbc.schema.")
    private @Nullable String schema;

    /**
     * Opens the projections for an operator. Tables are neither created nor migrated, unless configured. The caller
     * closes it. Does not connect yet.
     */
    ConfiguredProjections open() {
        return ConfiguredProjections.open(config.unmigrated(
                ProjectionStoreProvider.PORT,
                List.of(new Setting("url", url), new Setting("user", user), new Setting("schema", schema))));
    }
}
