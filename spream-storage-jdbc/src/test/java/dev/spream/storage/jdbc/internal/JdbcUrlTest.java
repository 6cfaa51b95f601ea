package dev.spream.storage.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.storage.jdbc.JdbcPool;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class JdbcUrlTest {

    @Test
    void a_url_without_secrets_stays_as_it_is() {
        JdbcUrl url = JdbcUrl.parse("jdbc:postgresql://a:5432,b/orders?targetServerType=primary&ssl=true");
        assertThat(url.address()).isEqualTo("jdbc:postgresql://a:5432,b/orders?targetServerType=primary&ssl=true");
        assertThat(url.taken()).isEmpty();
        assertThat(url.says("ssl")).isTrue();
        assertThat(url.says("sslmode")).isFalse();
    }

    @Test
    void user_and_passwords_are_taken_out_of_the_query() {
        JdbcUrl url = JdbcUrl.parse(
                "jdbc:postgresql://h/orders?user=ann&password=s%26cret%3D&ssl=true&sslpassword=key&socketTimeout=9");
        assertThat(url).hasToString("jdbc:postgresql://h/orders?ssl=true&socketTimeout=9");
        assertThat(url.taken()).isEqualTo(Map.of("user", "ann", "password", "s&cret=", "sslpassword", "key"));
        assertThat(JdbcUrl.parse("jdbc:postgresql:orders?password=x")).hasToString("jdbc:postgresql:orders");
    }

    @Test
    void what_is_no_url_of_postgresql_is_refused_without_being_quoted() {
        for (String url :
                new String[] {"jdbc:mysql://h/d?password=hidden", "postgres://ann:hidden@h/d", "hidden", ""}) {
            assertThatThrownBy(() -> JdbcPool.open(url, Optional.empty(), Optional.empty()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("jdbc:postgresql://host:port/database")
                    .message()
                    .doesNotContain("hidden");
        }
        assertThatThrownBy(() -> JdbcUrl.parse("jdbc:postgresql://ann:hidden@h/d"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("before the host")
                .message()
                .doesNotContain("hidden");
    }
}
