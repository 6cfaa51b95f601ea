package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlInstallation;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.StoppableServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** By MySQL's driver, over an installation of MySQL that is killed in the end. */
@EnabledIfSystemProperty(named = MySqlInstallation.BASE, matches = ".+")
final class MySqlFaultsIT extends MySqlFaults {
    @SuppressWarnings("NullAway.Init") // set before all
    private static MySqlInstallation installation;

    MySqlFaultsIT() throws IOException {}

    @BeforeAll
    static void startShared() {
        installation = MySqlInstallation.start();
    }

    @AfterAll
    static void stopShared() {
        installation.close();
    }

    @Override
    MySqlServer shared() {
        return installation.server();
    }

    @Override
    StoppableServer start() {
        return MySqlInstallation.start();
    }

    @Override
    String url(MySqlDatabase database) {
        return database.mysqlUrl();
    }
}
