package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.StorageException;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opening a pool, on a server that asks one of its users for a password. */
final class JdbcPoolIT {
    @TempDir
    private static Path folder;

    private static EmbeddedPostgres server;

    @BeforeAll
    static void start() throws Exception {
        Path access = Files.writeString(folder.resolve("pg_hba.conf"), """
                host all ann all scram-sha-256
                host all all all trust
                """);
        server = EmbeddedPostgres.builder()
                .setServerConfig("fsync", "off")
                .setServerConfig("hba_file", access.toString())
                .start();
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE ROLE ann LOGIN PASSWORD 'right & proper'");
        }
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @Test
    void a_pool_opens_with_user_and_password_beside_the_url_or_in_it() throws Exception {
        try (HikariDataSource pool =
                JdbcPool.open(url("postgres"), Optional.of("ann"), Optional.of("right & proper"))) {
            assertThat(user(pool)).isEqualTo("ann");
        }
        String withPassword = url("postgres") + "?user=ann&password=right%20%26%20proper";
        try (HikariDataSource pool = JdbcPool.open(withPassword, Optional.empty(), Optional.empty())) {
            assertThat(user(pool)).isEqualTo("ann");
        }
    }

    @Test
    void a_wrong_password_is_told_at_once_and_never_shown() {
        String withPassword = url("postgres") + "?user=ann&password=topsecret&ssl=false";
        assertThatThrownBy(() -> JdbcPool.open(withPassword, Optional.empty(), Optional.empty()))
                .isInstanceOfSatisfying(StorageException.class, e -> {
                    assertThat(e.retryable()).isFalse();
                    assertThat(stackTrace(e)).doesNotContain("topsecret");
                })
                .hasMessageContaining("connecting to %s as user 'ann' failed".formatted(url("postgres")))
                .hasMessageContaining("password authentication failed")
                .hasMessageContaining("check user and password");
    }

    @Test
    void a_database_that_is_not_there_is_told_at_once() {
        assertThatThrownBy(() -> JdbcPool.open(url("nowhere"), Optional.of("postgres"), Optional.empty()))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.retryable()).isFalse())
                .hasMessageContaining("\"nowhere\" does not exist")
                .hasMessageContaining("create the database");
    }

    @Test
    void a_server_that_is_not_there_may_come_later() throws Exception {
        int port;
        try (ServerSocket unused = new ServerSocket(0)) {
            port = unused.getLocalPort();
        }
        assertThatThrownBy(() -> JdbcPool.open(
                        "jdbc:postgresql://localhost:%d/postgres".formatted(port), Optional.empty(), Optional.empty()))
                .isInstanceOfSatisfying(
                        StorageException.class, e -> assertThat(e.retryable()).isTrue())
                .hasMessageContaining("refused")
                .hasMessageContaining("may succeed later");
    }

    @Test
    void a_parameter_that_the_driver_cannot_read_is_refused() {
        String malformed = url("postgres") + "?connectTimeout=soon";
        assertThatThrownBy(() -> JdbcPool.open(malformed, Optional.of("postgres"), Optional.empty()))
                .hasMessageContaining("soon");
    }

    @Test
    void parameters_of_the_url_have_precedence() throws Exception {
        String named = url("postgres") + "?ApplicationName=orders";
        try (HikariDataSource pool = JdbcPool.open(named, Optional.of("postgres"), Optional.empty())) {
            assertThat(ask(pool, "SHOW application_name")).isEqualTo("orders");
        }
        try (HikariDataSource pool = JdbcPool.open(url("postgres"), Optional.of("postgres"), Optional.empty())) {
            assertThat(ask(pool, "SHOW application_name")).isEqualTo("spream");
        }
    }

    @Test
    void a_storage_holds_no_connection_between_calls_and_the_pool_none_after_a_while() throws Exception {
        String named = url("postgres") + "?ApplicationName=idle";
        System.setProperty("com.zaxxer.hikari.housekeeping.periodMs", "50");
        try (HikariDataSource pool = JdbcPool.open(named, Optional.of("postgres"), Optional.empty());
                JdbcPartitionStorage storage = JdbcPartitionStorage.create(pool, "orders")) {
            storage.frontier();
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
            assertThat(connections("idle")).isPositive();

            pool.getHikariConfigMXBean().setIdleTimeout(100);
            Instant timeout = Instant.now().plusSeconds(20);
            while (connections("idle") > 0 && Instant.now().isBefore(timeout)) {
                LockSupport.parkNanos(5_000_000);
            }
            assertThat(connections("idle")).as("connections of an idle pool").isZero();
            assertThat(storage.frontier().partitions()).isEmpty();
        } finally {
            System.clearProperty("com.zaxxer.hikari.housekeeping.periodMs");
        }
    }

    @Test
    void the_settings_fit_a_lease_of_the_default_length() {
        try (HikariDataSource pool = JdbcPool.open(url("postgres"), Optional.of("postgres"), Optional.empty())) {
            assertThat(pool.getMinimumIdle()).isZero();
            assertThat(Duration.ofMillis(pool.getConnectionTimeout())).isLessThan(Duration.ofSeconds(15));
        }
    }

    private static int connections(String application) throws Exception {
        try (Connection connection = server.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT count(*) FROM pg_stat_activity WHERE application_name = '%s'".formatted(application))) {
            result.next();
            return result.getInt(1);
        }
    }

    private static String user(HikariDataSource pool) throws Exception {
        return ask(pool, "SELECT current_user");
    }

    private static String ask(HikariDataSource pool, String question) throws Exception {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(question)) {
            result.next();
            return result.getString(1);
        }
    }

    private static String stackTrace(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static String url(String database) {
        return "jdbc:postgresql://localhost:%d/%s".formatted(server.getPort(), database);
    }
}
