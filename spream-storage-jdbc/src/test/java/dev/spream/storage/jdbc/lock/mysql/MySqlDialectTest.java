package dev.spream.storage.jdbc.lock.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.lock.BucketSpaceException;
import dev.spream.lock.LockStoreException;
import dev.spream.storage.jdbc.internal.MySqlVersion;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class MySqlDialectTest {

    @Test
    void the_version_tells_mariadb_from_mysql() {
        assertThat(of("8.0.1"))
                .isEqualTo(new MySqlDialect(new MySqlVersion(false, "8.0.1"), false))
                .hasToString("MySQL 8.0.1");
        assertThat(of("8.4.3-google")).hasToString("MySQL 8.4.3");
        assertThat(of("10.6.14-MariaDB-log").mariadb()).isTrue();
        assertThat(of("5.5.5-10.11.5-MariaDB")).hasToString("MariaDB 10.11.5");
    }

    @Test
    void each_says_share_and_isolation_in_its_own_way() {
        assertThat(of("8.0.36").shared()).isEqualTo("FOR SHARE");
        assertThat(of("8.0.36").isolation()).isEqualTo("transaction_isolation");
        assertThat(of("11.4.5-MariaDB").shared()).isEqualTo("LOCK IN SHARE MODE");
        assertThat(of("11.4.5-MariaDB").isolation()).isEqualTo("transaction_isolation");
        assertThat(of("10.11.5-MariaDB").isolation()).isEqualTo("tx_isolation");
    }

    @Test
    void a_server_says_whether_a_lock_that_is_not_to_be_had_rolls_back_all() {
        assertThat(of("11.4.5-MariaDB").rollsBackOnTimeout()).isFalse();
        assertThat(MySqlDialect.of(Map.of("version", "11.4.5-MariaDB", "innodb_rollback_on_timeout", "ON"))
                        .rollsBackOnTimeout())
                .isTrue();
    }

    @Test
    void a_server_that_is_too_old_or_of_another_kind_is_refused() {
        for (String version : new String[] {
            "5.7.44", "8.0.0", "10.5.28-MariaDB", "8.0.11-TiDB-v7.5.1", "8.0.30-Vitess", "5.7.25-OceanBase-v4.3", ""
        }) {
            assertThatThrownBy(() -> of(version))
                    .isInstanceOf(LockStoreException.class)
                    .hasMessageContaining("MySQL 8.0.1 or newer, or MariaDB 10.6 or newer")
                    .hasMessageContaining("'" + version + "'");
        }
    }

    @Test
    void galera_is_refused_and_its_absence_is_not() {
        assertThatThrownBy(() -> MySqlDialect.of(Map.of(
                        "version", "11.4.5-MariaDB", "wsrep_on", "ON", "wsrep_provider", "/lib/libgalera_smm.so")))
                .isInstanceOf(BucketSpaceException.class)
                .hasMessageContaining("Galera")
                .hasMessageContaining("have no effect on the others");
        assertThat(MySqlDialect.of(Map.of("version", "11.4.5-MariaDB", "wsrep_on", "ON", "wsrep_provider", "none"))
                        .mariadb())
                .isTrue();
    }

    @Test
    void a_group_with_several_primaries_is_refused_and_one_with_a_single_primary_is_not() {
        String group = "group_replication_group_name";
        String single = "group_replication_single_primary_mode";
        assertThatThrownBy(() -> MySqlDialect.of(Map.of("version", "8.4.3", group, "aaaa-bbbb", single, "OFF")))
                .isInstanceOf(BucketSpaceException.class)
                .hasMessageContaining("several primaries");
        assertThat(MySqlDialect.of(Map.of("version", "8.4.3", group, "aaaa-bbbb", single, "ON"))
                        .mariadb())
                .isFalse();
        assertThat(MySqlDialect.of(Map.of("version", "8.4.3", group, "", single, "OFF"))
                        .mariadb())
                .isFalse();
    }

    private static MySqlDialect of(String version) {
        return MySqlDialect.of(Map.of("version", version));
    }
}
