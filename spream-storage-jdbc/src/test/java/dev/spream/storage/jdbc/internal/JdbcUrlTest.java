package dev.spream.storage.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.Secrets;
import dev.spream.storage.jdbc.JdbcPool;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JdbcUrlTest {

    @Test
    void a_url_without_secrets_stays_as_it_is() {
        JdbcUrl url = JdbcUrl.parse("jdbc:postgresql://a:5432,b/orders?targetServerType=primary&ssl=true");
        assertThat(url.address()).isEqualTo("jdbc:postgresql://a:5432,b/orders?targetServerType=primary&ssl=true");
        assertThat(url.taken()).isEmpty();
        assertThat(url.hasParameter("ssl")).isTrue();
        assertThat(url.hasParameter("sslmode")).isFalse();
    }

    @Test
    void user_and_passwords_are_taken_out_of_the_query() {
        JdbcUrl url = JdbcUrl.parse(
                "jdbc:postgresql://h/orders?user=ann&password=s%26cret%3D&ssl=true&sslpassword=key&socketTimeout=9");
        assertThat(url.address()).isEqualTo("jdbc:postgresql://h/orders?ssl=true&socketTimeout=9");
        assertThat(url).hasToString("jdbc:postgresql://h/orders");
        assertThat(url.taken()).isEqualTo(Map.of("user", "ann", "password", "s&cret=", "sslpassword", "key"));
        assertThat(JdbcUrl.parse("jdbc:postgresql:orders?password=x")).hasToString("jdbc:postgresql:orders");
    }

    @Test
    void urls_of_mysql_and_mariadb_are_parted_the_same_way() {
        JdbcUrl mysql = JdbcUrl.parse("jdbc:mysql://h:3306/d?user=ann&password=s%26cret&sslMode=REQUIRED");
        assertThat(mysql.address()).isEqualTo("jdbc:mysql://h:3306/d?sslMode=REQUIRED");
        assertThat(mysql).hasToString("jdbc:mysql://h:3306/d");
        assertThat(mysql.taken()).isEqualTo(Map.of("user", "ann", "password", "s&cret"));
        assertThat(mysql.kind()).isEqualTo(DatabaseKind.MYSQL);
        JdbcUrl mariadb = JdbcUrl.parse("jdbc:mariadb://h/d?trustStorePassword=hidden");
        assertThat(mariadb).hasToString("jdbc:mariadb://h/d");
        assertThat(mariadb.kind()).isEqualTo(DatabaseKind.MARIADB);
        assertThat(JdbcUrl.withoutPassword("jdbc:mysql://h/d?user=ann")).isEqualTo("jdbc:mysql://h/d?user=ann");
    }

    @Test
    void a_url_of_an_unknown_database_is_refused_without_being_shown() {
        for (String url : new String[] {
            "jdbc:mysql:loadbalance://h,i/d?password=hidden",
            "jdbc:mariadb:replication://h,i/d?password=hidden",
            "jdbc:oracle:thin:hidden",
            "postgres://ann:hidden@h/d",
            "hidden",
            ""
        }) {
            assertThatThrownBy(() -> JdbcPool.open(url, Optional.empty(), Optional.empty()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("jdbc:postgresql://host:port/database, jdbc:mysql:// or jdbc:mariadb://")
                    .message()
                    .doesNotContain("hidden");
        }
        for (String url : new String[] {
            "jdbc:postgresql://ann:hidden@h/d",
            "jdbc:mysql://ann:hidden@h/d",
            "jdbc:mysql://address=(host=h)(password=hidden)/d",
            "jdbc:mariadb://address=(host=h)(password=hidden)/d"
        }) {
            assertThatThrownBy(() -> JdbcUrl.parse(url))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("before the host")
                    .message()
                    .doesNotContain("hidden");
        }
    }

    /** The passwords contain {@code hidden} after a character that should have been encoded. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://ann:p?hidden@h/d",
                "jdbc:postgresql://ann:p?hidden=1@h/d",
                "jdbc:postgresql://ann:p:/hidden@h/d",
                "jdbc:postgresql://ann:p'#\"hidden@h/d",
                "jdbc:postgresql://ann:hidden/d",
                "jdbc:postgresql://h:1,ann:2hidden",
                "jdbc:postgresql://h/d?password=p&hidden",
                "jdbc:postgresql://h/d?user=ann&password=p&@hidden",
                "jdbc:postgresql://h/d?password=%hidden",
                "jdbc:postgresql://h/d?password=p%2hidden&ssl=true",
                "jdbc:mysql://h/d?password=p&hidden&",
                "jdbc:mariadb://h/d?keyPassword=100%&password=hidden"
            })
    void a_url_whose_password_is_not_encoded_is_refused_without_a_part_of_it(String url) {
        assertThatThrownBy(() -> JdbcUrl.parse(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("malformed URL of the database")
                .hasNoCause()
                .message()
                .doesNotContain("hidden");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://h/d",
                "jdbc:postgresql://h:5432/d",
                "jdbc:postgresql://h:/d",
                "jdbc:postgresql://[::1]:5432,[fe80::a:b]/d",
                "jdbc:postgresql://one:1,two,three:3",
                "jdbc:postgresql:orders",
                "jdbc:mariadb://one:1,two:2/d:x"
            })
    void hosts_with_and_without_ports_are_accepted(String url) {
        assertThat(JdbcUrl.parse(url)).hasToString(url);
    }

    @Test
    void no_part_of_a_short_or_odd_password_is_shown() {
        for (String password : new String[] {"x", "%25", "%40%3A%26", "a@b:c/d?e'f\"g=h#i", "p&x=y"}) {
            JdbcUrl url = JdbcUrl.parse("jdbc:postgresql://h/d?user=ann&ssl=true&password=" + password);
            assertThat(url).hasToString("jdbc:postgresql://h/d");
            assertThat(DriverDataSource.of(url, url.taken())).hasToString("jdbc:postgresql://h/d");
        }
        assertThat(JdbcUrl.parse("jdbc:postgresql://h/d?user=a@b&ssl&")).hasToString("jdbc:postgresql://h/d?ssl");
    }

    @Test
    void every_password_of_a_url_is_masked() {
        String url = "jdbc:postgresql://localhost:1/d?user=ann&password=p%2540w&sslpassword=k%26key&connectTimeout=1";
        assertThatThrownBy(() -> JdbcPool.open(url, Optional.empty(), Optional.empty()))
                .hasMessageStartingWith("connecting to jdbc:postgresql://localhost:1/d as user 'ann' failed");
        assertThat(Secrets.mask("p%40w, k&key")).isEqualTo("********, ********");
    }

    @Test
    void urls_of_other_databases_are_refused_by_storages_that_need_postgresql() {
        assertThatThrownBy(() -> JdbcUrl.ofPostgresWithoutPassword("jdbc:mysql://h/d"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jdbc:postgresql://host:port/database")
                .hasMessageContaining("for locks and the outbox only");
        assertThat(JdbcUrl.ofPostgresWithoutPassword("jdbc:postgresql://h/d")).isEqualTo("jdbc:postgresql://h/d");
    }

    @Test
    void a_driver_that_is_not_there_is_named_with_its_dependency_and_its_place() throws Exception {
        try (URLClassLoader bare = new URLClassLoader(new URL[0], ClassLoader.getPlatformClassLoader())) {
            assertThatThrownBy(() -> DriverDataSource.load(JdbcUrl.parse("jdbc:mysql://h/d?password=hidden"), bare))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("connecting to jdbc:mysql://h/d needs the driver com.mysql.cj.jdbc.Driver, which spream"
                            + " does not include: add the dependency com.mysql:mysql-connector-j, or put its jar"
                            + " into the folder that has spream-storage-jdbc's");
        }
    }
}
