package dev.spream.storage.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class MySqlServerTest {

    @Test
    void a_server_is_named_by_a_url_or_by_a_data_source_name_of_go() {
        MySqlServer expected = new MySqlServer("127.0.0.1:3306", "ann", "p@ss:1");
        assertThat(MySqlServer.ofUrl("jdbc:mysql://127.0.0.1:3306/mgl_test?user=ann&password=p%40ss%3A1"))
                .isEqualTo(expected);
        assertThat(MySqlServer.ofDsn("ann:p@ss:1@tcp(127.0.0.1:3306)/mgl_test?parseTime=true"))
                .isEqualTo(expected);
        assertThat(MySqlServer.ofDsn("root@tcp(h:1)/d")).isEqualTo(new MySqlServer("h:1", "root", ""));
    }

    @Test
    void an_invalid_address_is_refused_without_its_password() {
        assertThatThrownBy(() -> MySqlServer.ofUrl("mysql://ann:secret@h/d"))
                .hasMessageContaining("MYSQL_URL")
                .message()
                .doesNotContain("secret");
        assertThatThrownBy(() -> MySqlServer.ofDsn("ann:secret@h/d"))
                .hasMessageContaining("MYSQL_DSN")
                .message()
                .doesNotContain("secret");
        assertThat(new MySqlServer("h:1", "ann", "secret")).hasToString("ann@h:1");
    }
}
