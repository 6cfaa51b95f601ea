package dev.spream.storage.jdbc;

/** A server of one test, which it can stop and start again with its data. */
public interface StoppableServer extends AutoCloseable {
    MySqlServer server();

    void stop();

    void restart();

    @Override
    default void close() {
        stop();
    }
}
