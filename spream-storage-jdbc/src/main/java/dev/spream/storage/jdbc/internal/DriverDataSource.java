package dev.spream.storage.jdbc.internal;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Map;
import java.util.Properties;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source over the driver of a URL's kind. It loads the driver by the class loader of this class, because {@code
 * DriverManager} does not find drivers in a plug-in's folder. The user and the secrets stay in this object, so that
 * pools do not log them.
 *
 * <p>Safe for use by many threads.
 */
public final class DriverDataSource implements DataSource {
    private final Driver driver;
    private final JdbcUrl url;
    private final Properties properties = new Properties();
    private volatile int loginTimeout;

    private DriverDataSource(Driver driver, JdbcUrl url, Map<String, String> taken) {
        this.driver = driver;
        this.url = url;
        url.kind().settings().forEach((name, value) -> {
            if (!url.hasParameter(name)) {
                properties.put(name, value);
            }
        });
        properties.putAll(taken);
    }

    /**
     * Returns a source of connections and opens none.
     *
     * @param taken the user and the secrets
     * @throws IllegalArgumentException if the driver is missing; the message names the dependency to add
     */
    public static DriverDataSource of(JdbcUrl url, Map<String, String> taken) {
        return new DriverDataSource(load(url, DriverDataSource.class.getClassLoader()), url, taken);
    }

    static Driver load(JdbcUrl url, ClassLoader loader) {
        DatabaseKind kind = url.kind();
        try {
            return Class.forName(kind.driver(), true, loader)
                    .asSubclass(Driver.class)
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(
                    ("connecting to %s needs the driver %s, which spream does not include: add the dependency %s, or"
                                    + " put its jar into the folder that has spream-storage-jdbc's")
                            .formatted(url, kind.driver(), kind.artifact()),
                    e);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    "connecting to %s needs the driver %s, which cannot be used: %s".formatted(url, kind.driver(), e),
                    e);
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        @Nullable Connection connection = driver.connect(url.address(), properties);
        if (connection == null) {
            throw new SQLException(
                    "the driver %s does not accept the URL %s"
                            .formatted(driver.getClass().getName(), url),
                    "08001");
        }
        return connection;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("this source has the user and the password already");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(@Nullable PrintWriter out) {}

    /**
     * Ignored: the driver's settings have a timeout of their own, and a pool that is closed waits for this long for
     * connections that it is opening.
     */
    @Override
    public void setLoginTimeout(int seconds) {
        loginTimeout = seconds;
    }

    @Override
    public int getLoginTimeout() {
        return loginTimeout;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("this source does not log");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (!isWrapperFor(type)) {
            throw new SQLException("this source does not wrap " + type.getName());
        }
        return type.cast(this);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    /** Returns the URL without user and secrets. */
    @Override
    public String toString() {
        return url.toString();
    }
}
