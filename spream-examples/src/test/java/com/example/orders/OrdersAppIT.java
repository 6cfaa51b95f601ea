package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.storage.jdbc.outbox.JdbcOutbox;
import dev.spream.storage.jdbc.outbox.JdbcOutboxStore;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class OrdersAppIT {
    @Test
    void an_order_reaches_the_broker_and_then_a_mail_is_sent() throws Exception {
        BlockingQueue<String> output = new LinkedBlockingQueue<>();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.start()) {
            DataSource database = postgres.getPostgresDatabase();
            try (JdbcOutboxStore store = JdbcOutboxStore.create(database);
                    OutboxWorker worker = OrdersApp.worker(store, output::add)) {
                Thread.ofVirtual().start(worker::run);
                OrdersApp.placeOrder(JdbcOutbox.create(database), "order-1");
                assertThat(output.poll(30, TimeUnit.SECONDS)).isEqualTo("broker: order-1 {\"quantity\": 100}");
                assertThat(output.poll(30, TimeUnit.SECONDS))
                        .isEqualTo("mail: order-1/mail {\"to\": \"ann@example.com\"}");
            }
        }
    }
}
