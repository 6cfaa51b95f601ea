package dev.spream.examples.balance;

import dev.spream.api.ConfiguredProjections;
import dev.spream.api.config.SpreamConfig;
import dev.spream.projection.runner.ProjectionManager;
import java.nio.file.Path;
import java.sql.Connection;

/** The same two projections as {@link BalanceService}, with databases and options from a configuration file. */
public final class ConfiguredBalances {
    private ConfiguredBalances() {}

    /** Takes the path of a properties file with {@code projections} and {@code events}. */
    public static void main(String[] args) {
        if (args.length != 1) {
            System.err.println("usage: ConfiguredBalances <properties file>");
            System.exit(2);
        }
        run(SpreamConfig.load(Path.of(args[0])));
    }

    private static void run(SpreamConfig config) {
        try (ConfiguredProjections projections = ConfiguredProjections.open(config);
                ProjectionManager<Connection> manager = projections
                        .manager(Connection.class)
                        .add(new AccountBalances(), projections.source())
                        .add(new AccountStatements(), projections.source())
                        .build()) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> manager.shutdown(projections.shutdownTimeout())));
            manager.run();
        }
    }
}
