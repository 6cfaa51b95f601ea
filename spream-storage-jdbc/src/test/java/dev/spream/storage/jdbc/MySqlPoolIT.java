package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Opening a pool on MariaDB by its own driver and by MySQL's, as a user with a password. */
final class MySqlPoolIT {
    private static MySqlDatabase database;

    @BeforeAll
    static void make_a_user() {
        database = new MySqlDatabase(MySqlServer.embedded());
        database.execute(
                "CREATE USER ann@'%' IDENTIFIED BY 'right & proper'",
                "GRANT ALL ON %s.* TO ann@'%%'".formatted(database.name()));
    }

    @AfterAll
    static void drop() {
        database.execute("DROP USER ann@'%'");
        database.close();
    }

    private static List<String> urls() {
        return List.of(database.mysqlUrl(), database.mariadbUrl());
    }

    @Test
    void a_pool_opens_with_user_and_password_beside_the_url_or_in_it() throws Exception {
        for (String url : urls()) {
            try (HikariDataSource pool = JdbcPool.open(url, Optional.of("ann"), Optional.of("right & proper"))) {
                assertThat(user(pool)).startsWith("ann@");
            }
            String withPassword = url + "?user=ann&password=right%20%26%20proper";
            try (HikariDataSource pool = JdbcPool.open(withPassword, Optional.empty(), Optional.empty())) {
                assertThat(user(pool)).startsWith("ann@");
            }
        }
    }

    @Test
    void a_wrong_password_is_told_at_once_and_never_shown() {
        for (String url : urls()) {
            String withPassword = url + "?user=ann&password=topsecret&tcpKeepAlive=false";
            assertThatThrownBy(() -> JdbcPool.open(withPassword, Optional.empty(), Optional.empty()))
                    .isInstanceOfSatisfying(StorageException.class, e -> {
                        assertThat(e.retryable()).isFalse();
                        assertThat(stackTrace(e)).doesNotContain("topsecret");
                    })
                    .hasMessageContaining("connecting to %s as user 'ann' failed".formatted(url))
                    .hasMessageContaining("Access denied")
                    .hasMessageContaining("check user and password");
        }
    }

    @Test
    void the_pool_waits_seconds_for_a_server_that_says_nothing_and_what_the_url_says_wins() throws Exception {
        for (String url : urls()) {
            assertThat(networkTimeout(url)).isEqualTo(30_000);
            assertThat(networkTimeout(url + "?socketTimeout=7000")).isEqualTo(7_000);
        }
    }

    private static int networkTimeout(String url) throws Exception {
        try (HikariDataSource pool = JdbcPool.open(
                        url,
                        Optional.of(database.server().user()),
                        Optional.of(database.server().password()));
                Connection connection = pool.getConnection()) {
            return connection.getNetworkTimeout();
        }
    }

    @Test
    void storages_that_need_postgresql_refuse_other_databases() {
        for (String url : urls()) {
            try (HikariDataSource pool = JdbcPool.open(
                    url,
                    Optional.of(database.server().user()),
                    Optional.of(database.server().password()))) {
                assertThatThrownBy(() -> JdbcPartitionStorage.create(pool, "orders"))
                        .isInstanceOf(StorageException.class)
                        .hasMessageContaining("need PostgreSQL")
                        .hasMessageContaining("for locks and the outbox only");
            }
        }
    }

    private static String user(HikariDataSource pool) throws Exception {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT current_user()")) {
            result.next();
            return result.getString(1);
        }
    }

    private static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
