package dev.spream.storage.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.UUID;
import javax.sql.DataSource;

/** A database of its own on a server of MySQL or MariaDB, with a name that no other run has. */
public final class MySqlDatabase implements AutoCloseable {
    private static final int CONNECTIONS = 10;

    private final MySqlServer server;
    private final String name =
            "spream_test_" + UUID.randomUUID().toString().substring(0, 8).toLowerCase(Locale.ROOT);
    private final HikariDataSource dataSource;

    public MySqlDatabase(MySqlServer server) {
        this.server = server;
        server.execute("CREATE DATABASE " + name);
        dataSource = open(mysqlUrl(), CONNECTIONS);
    }

    /** A pool on this database, by the driver that the URL asks for. */
    public HikariDataSource open(String url, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(server.user());
        config.setPassword(server.password());
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    /** By MySQL's driver. */
    public DataSource dataSource() {
        return dataSource;
    }

    public MySqlServer server() {
        return server;
    }

    public String name() {
        return name;
    }

    public String mysqlUrl() {
        return server.mysqlUrl(name);
    }

    public String mariadbUrl() {
        return server.mariadbUrl(name);
    }

    public void execute(String... statements) {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        dataSource.close();
        server.execute("DROP DATABASE " + name);
    }
}
