package dev.spream.storage.jdbc.outbox;

import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import dev.spream.storage.jdbc.StoppableMariaDb;
import dev.spream.storage.jdbc.StoppableServer;
import java.io.IOException;

/** By MariaDB's driver. */
final class MariaDbFaultsIT extends MySqlFaults {
    MariaDbFaultsIT() throws IOException {}

    @Override
    MySqlServer shared() {
        return MySqlServer.embedded();
    }

    @Override
    StoppableServer start() {
        return StoppableMariaDb.start();
    }

    @Override
    String url(MySqlDatabase database) {
        return database.mariadbUrl();
    }
}
