package dev.spream.storage.jdbc.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.storage.jdbc.JdbcPool;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

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
        assertThat(url).hasToString("jdbc:postgresql://h/orders?ssl=true&socketTimeout=9");
        assertThat(url.taken()).isEqualTo(Map.of("user", "ann", "password", "s&cret=", "sslpassword", "key"));
        assertThat(JdbcUrl.parse("jdbc:postgresql:orders?password=x")).hasToString("jdbc:postgresql:orders");
    }

    @Test
    void urls_of_mysql_and_mariadb_are_parted_the_same_way() {
        JdbcUrl mysql = JdbcUrl.parse("jdbc:mysql://h:3306/d?user=ann&password=s%26cret&sslMode=REQUIRED");
        assertThat(mysql).hasToString("jdbc:mysql://h:3306/d?sslMode=REQUIRED");
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
