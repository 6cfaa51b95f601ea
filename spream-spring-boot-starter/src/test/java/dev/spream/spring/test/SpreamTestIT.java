package dev.spream.spring.test;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.spanner.Mutation;
import dev.spream.spring.SpreamSubscriptions;
import dev.spream.spring.SubscriptionStatus;
import dev.spream.storage.spanner.SpannerConnection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;

/** The slice: the subscriptions of an application on an emulator, as a user tests them. */
@Timeout(60)
@SpreamTest(
        ddl = "orders.sql",
        properties = {
            "spream.defaults.source.spanner.credentials-file=/run/secrets/${not.in.tests}",
            "spream.subscriptions.orders.source.spanner.endpoint=spanner.europe-west1.rep.googleapis.com:443",
            "spream.subscriptions.orders.source.spanner.stream=OrdersStream",
            "spream.subscriptions.orders.storage.spanner.credentials-json={}",
            "spream.subscriptions.orders.storage=spanner",
            "spream.subscriptions.orders.storage.spanner.table=OrdersPartitions",
            "spream.subscriptions.orders.storage.spanner.create-table=true"
        })
@SuppressWarnings("NullAway.Init") // set by Spring
final class SpreamTestIT {
    @Autowired
    private Orders orders;

    @Autowired
    private SpannerConnection connection;

    @Autowired
    private SpreamSubscriptions subscriptions;

    @Autowired
    private ApplicationContext context;

    @Test
    void a_row_that_is_written_at_once_reaches_the_consumer() throws InterruptedException {
        connection
                .client()
                .write(List.of(
                        Mutation.newInsertBuilder("Orders").set("Id").to("o1").build()));

        assertThat(orders.ids.poll(30, TimeUnit.SECONDS)).isEqualTo("o1");
        assertThat(subscriptions.status("orders").phase()).isEqualTo(SubscriptionStatus.Phase.RUNNING);
    }

    @Test
    void components_that_spream_does_not_use_are_left_out() {
        assertThat(context.getBeanNamesForType(Mailer.class)).isEmpty();
        assertThat(context.getBeanNamesForType(Orders.class)).hasSize(1);
    }
}
