package dev.spream.storage.jdbc;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server of MySQL or MariaDB that tests may make databases on.
 *
 * @param address host and port
 */
public record MySqlServer(String address, String user, String password) {
    private static final Pattern URL =
            Pattern.compile("jdbc:(?:mysql|mariadb)://(?<address>[^/?]+)(?:/[^?]*)?(?<query>\\?.*)?");
    private static final Pattern DSN =
            Pattern.compile("(?<user>[^:@]*)(?::(?<password>.*))?@tcp\\((?<address>[^)]+)\\)/.*");

    static final String DEFAULT_DSN = "root:root@tcp(127.0.0.1:3306)/mgl_test";

    private static final Optional<MySqlServer> GIVEN = given(System.getenv(), DEFAULT_DSN);

    /** The embedded MariaDB. */
    public static MySqlServer embedded() {
        return MariaDbServer.shared();
    }

    /**
     * The server that the environment names: {@code MYSQL_URL}, as in {@code
     * jdbc:mysql://127.0.0.1:3306/test?user=root&password=secret}, or {@code MYSQL_DSN}, as in {@code
     * root:secret@tcp(127.0.0.1:3306)/test}; without either, {@code root:root@tcp(127.0.0.1:3306)/mgl_test} if it answers, as
     * {@code compose.yaml} starts it. Its user has to be one that may make databases.
     */
    public static Optional<MySqlServer> given() {
        return GIVEN;
    }

    /** The server that these variables name, whether it answers or not; without one, the other if it answers. */
    static Optional<MySqlServer> given(Map<String, String> environment, String otherwise) {
        return variable(environment, "MYSQL_URL")
                .map(MySqlServer::ofUrl)
                .or(() -> variable(environment, "MYSQL_DSN").map(MySqlServer::ofDsn))
                .or(() -> Optional.of(ofDsn(otherwise)).filter(MySqlServer::answers));
    }

    /** Returns whether the user can connect. */
    boolean answers() {
        try (Connection connection =
                DriverManager.getConnection(mysqlUrl("") + "?connectTimeout=1000&socketTimeout=5000", user, password)) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    private static Optional<String> variable(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
    }

    static MySqlServer ofUrl(String url) {
        Matcher parts = URL.matcher(url);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "MYSQL_URL must look like jdbc:mysql://host:port/database?user=…&password=…");
        }
        String query = Optional.ofNullable(parts.group("query")).orElse("");
        return new MySqlServer(
                parts.group("address"),
                parameter(query, "user").orElse("root"),
                parameter(query, "password").orElse(""));
    }

    private static Optional<String> parameter(String query, String name) {
        Matcher value = Pattern.compile("[?&]%s=([^&]*)".formatted(name)).matcher(query);
        return value.find() ? Optional.of(URLDecoder.decode(value.group(1), StandardCharsets.UTF_8)) : Optional.empty();
    }

    static MySqlServer ofDsn(String dsn) {
        Matcher parts = DSN.matcher(dsn);
        if (!parts.matches()) {
            throw new IllegalArgumentException("MYSQL_DSN must look like user:password@tcp(host:port)/database");
        }
        return new MySqlServer(
                parts.group("address"),
                parts.group("user"),
                Optional.ofNullable(parts.group("password")).orElse(""));
    }

    /** For MySQL's own driver, which talks to MariaDB as well. */
    public String mysqlUrl(String database) {
        return "jdbc:mysql://%s/%s".formatted(address, database);
    }

    /** For MariaDB's own driver, which talks to MySQL as well. */
    public String mariadbUrl(String database) {
        return "jdbc:mariadb://%s/%s".formatted(address, database);
    }

    /** Runs statements as the user. */
    public void execute(String... statements) {
        try (Connection connection = DriverManager.getConnection(mysqlUrl(""), user, password);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Without the password. */
    @Override
    public String toString() {
        return user + "@" + address;
    }
}
