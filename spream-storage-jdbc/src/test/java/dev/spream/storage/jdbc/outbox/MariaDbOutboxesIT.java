package dev.spream.storage.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.spream.api.ConfiguredOutbox;
import dev.spream.api.config.SpreamConfig;
import dev.spream.outbox.OutboxMessage;
import dev.spream.storage.jdbc.MySqlDatabase;
import dev.spream.storage.jdbc.MySqlServer;
import java.sql.Connection;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Outboxes in MariaDB, by MySQL's driver. */
final class MariaDbOutboxesIT extends MySqlOutboxes {
    private static final int PACKET = 16 << 20;
    private static final MySqlOutboxPlace PLACE = new MySqlOutboxPlace(MySqlServer.embedded(), MySqlDatabase::mysqlUrl);

    MariaDbOutboxesIT() {
        super(PLACE);
    }

    @Test
    @Tag("proof")
    void a_payload_that_is_larger_than_what_the_server_accepts_is_refused_by_each_driver() {
        OutboxMessage message = OutboxMessage.of("k", '"' + "x".repeat(PACKET) + '"');
        refuses(message, PLACE);
        MySqlOutboxPlace another = new MySqlOutboxPlace(MySqlServer.embedded(), MySqlDatabase::mariadbUrl);
        refuses(message, another);
        another.drop();
    }

    private static void refuses(OutboxMessage message, MySqlOutboxPlace place) {
        try (TestOutbox test = new TestOutbox(place)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> test.enqueue(message))
                    .withMessageContaining("max_allowed_packet")
                    .withMessageNotContaining("xxx");
        }
    }

    @Test
    void a_configuration_opens_an_outbox_by_the_url_of_each_driver() {
        MySqlServer server = PLACE.database().server();
        for (String url : List.of(PLACE.database().mysqlUrl(), PLACE.database().mariadbUrl())) {
            SpreamConfig config = SpreamConfig.builder()
                    .set("outbox", "jdbc")
                    .set("outbox.jdbc.url", url)
                    .set("outbox.jdbc.user", server.user())
                    .set("outbox.jdbc.password", server.password())
                    .build();
            try (ConfiguredOutbox configured = ConfiguredOutbox.open(config)) {
                assertThat(configured.operations().stats().due()).isZero();
                assertThat(configured.ledger(Connection.class).find("k")).isEmpty();
                assertThat(configured.outbox(Connection.class)).isInstanceOf(JdbcOutbox.class);
            }
        }
    }

    @AfterAll
    static void drop() {
        PLACE.drop();
    }
}
