package dev.spream.cli.lock;

import dev.spream.api.ConfiguredLocks;
import dev.spream.api.config.ConfigException;
import dev.spream.api.config.SpreamConfig;
import dev.spream.api.spi.LockStoreProvider;
import dev.spream.cli.command.ConfigArguments;
import dev.spream.cli.command.ConfigArguments.Setting;
import dev.spream.lock.provisioning.BucketProvisioning;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * The flags of commands for the configured locks. Short flags stand for configuration keys, so that locks in a database
 * need no file.
 */
final class LocksArguments {
    @Mixin
    private final ConfigArguments config = new ConfigArguments();

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "The database, for locks.jdbc.url: jdbc:postgresql://<host>/<database>, jdbc:mysql://… or"
                    + " jdbc:mariadb://…. The password comes from the file or SPREAM_CONFIG_LOCKS_JDBC_PASSWORD, not"
                    + " from a flag, which others on the machine could see.")
    private @Nullable String url;

    @Option(names = "--user", paramLabel = "NAME", description = "Database user, for locks.jdbc.user.")
    private @Nullable String user;

    @Option(names = "--schema", paramLabel = "NAME", description = "Schema of the tables, for locks.jdbc.schema.")
    private @Nullable String schema;

    @Option(
            names = "--strategy",
            paramLabel = "KIND",
            description = "Lock strategy, for locks.jdbc.strategy: advisory or rows.")
    private @Nullable String strategy;

    /**
     * Validates the configuration; the caller closes the result. Does not connect yet.
     *
     * @param more further keys of the locks with their values
     */
    ConfiguredLocks open(Setting... more) {
        List<Setting> settings = new ArrayList<>(List.of(
                new Setting("url", url),
                new Setting("user", user),
                new Setting("schema", schema),
                new Setting("strategy", strategy)));
        settings.addAll(List.of(more));
        SpreamConfig all = config.config(LockStoreProvider.PORT, settings);
        requireKnownToServer(all, ConfigArguments.prefix(all, LockStoreProvider.PORT));
        return ConfiguredLocks.open(all);
    }

    private static void requireKnownToServer(SpreamConfig config, String prefix) {
        boolean advisory = config.raw(prefix + "strategy")
                .filter("advisory"::equalsIgnoreCase)
                .isPresent();
        if (advisory
                && config.raw(prefix + "url").filter(LocksArguments::isMySql).isPresent()) {
            throw new ConfigException(
                    List.of("%sstrategy is advisory, which only PostgreSQL supports; use rows with this database"
                            .formatted(prefix)));
        }
    }

    private static boolean isMySql(String url) {
        return url.startsWith("jdbc:mysql:") || url.startsWith("jdbc:mariadb:");
    }

    /**
     * Validates the requested layout against the recorded one.
     *
     * @throws ConfigException if the layout is invalid
     */
    static void requireUsable(BucketProvisioning provisioning) {
        try {
            provisioning.layout();
        } catch (IllegalArgumentException e) {
            ConfigException refusal = new ConfigException(List.of(String.valueOf(e.getMessage())));
            refusal.initCause(e);
            throw refusal;
        }
    }
}
