package dev.spream.storage.jdbc.deadletter;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Counts the connections that are taken, without which no statement is sent. */
final class CountingDataSource implements DataSource {
    private final DataSource target;
    private final AtomicInteger taken = new AtomicInteger();

    CountingDataSource(DataSource target) {
        this.target = target;
    }

    int taken() {
        return taken.get();
    }

    @Override
    public Connection getConnection() throws SQLException {
        taken.incrementAndGet();
        return target.getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        taken.incrementAndGet();
        return target.getConnection(user, password);
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return target.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        target.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        target.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return target.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return target.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return target.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return target.isWrapperFor(type);
    }
}
