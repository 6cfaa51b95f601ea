package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

final class ServerVersionIT {

    @Test
    void the_server_has_the_version_that_this_run_is_meant_for() throws Exception {
        try (Connection connection =
                        PostgresServer.shared().getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement();
                ResultSet version = statement.executeQuery("SHOW server_version")) {
            assertThat(version.next()).isTrue();
            assertThat(System.getProperty("postgres.version"))
                    .as("the version of the package")
                    .startsWith(version.getString(1).replaceFirst(" .*", ""));
        }
    }
}
