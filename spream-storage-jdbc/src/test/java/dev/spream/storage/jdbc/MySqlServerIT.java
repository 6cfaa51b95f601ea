package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The server that tests of MySQL run on. */
final class MySqlServerIT {
    private static final String SILENT_URL = "jdbc:mysql://127.0.0.1:1/test?user=ann";
    private static final String SILENT_DSN = "ann:secret@tcp(127.0.0.1:1)/test";

    @Test
    void without_a_variable_the_default_is_tried_and_taken_if_it_lets_its_user_in() throws Exception {
        MySqlServer running = MySqlServer.embedded();
        for (Map<String, String> unset : List.of(
                Map.<String, String>of(), Map.of("MYSQL_DSN", ""), Map.of("MYSQL_URL", " ", "MYSQL_DSN", " "))) {
            assertThat(MySqlServer.given(unset, dsn(running, running.password())))
                    .as("%s", unset)
                    .contains(running);
            assertThat(MySqlServer.given(unset, dsn(running, "wrong"))).isEmpty();
            assertThat(MySqlServer.given(unset, "root:root@tcp(127.0.0.1:%d)/mgl_test".formatted(closedPort())))
                    .isEmpty();
        }
    }

    @Test
    void a_server_that_a_variable_names_is_taken_before_the_default_whether_it_answers_or_not() {
        MySqlServer running = MySqlServer.embedded();
        String otherwise = dsn(running, running.password());
        assertThat(MySqlServer.given(Map.of("MYSQL_DSN", SILENT_DSN), otherwise))
                .contains(MySqlServer.ofDsn(SILENT_DSN));
        assertThat(MySqlServer.given(Map.of("MYSQL_URL", SILENT_URL, "MYSQL_DSN", SILENT_DSN), otherwise))
                .contains(MySqlServer.ofUrl(SILENT_URL));
    }

    @Test
    void the_default_is_the_one_of_the_go_library_whose_tables_the_locks_share() {
        assertThat(MySqlServer.DEFAULT_DSN).isEqualTo("root:root@tcp(127.0.0.1:3306)/mgl_test");
    }

    private static String dsn(MySqlServer server, String password) {
        return "%s:%s@tcp(%s)/mgl_test".formatted(server.user(), password, server.address());
    }

    private static int closedPort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
