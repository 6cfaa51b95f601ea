package dev.spream.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.Consumer;
import dev.spream.core.source.ChangeStreamSource;
import dev.spream.servers.PostgresDatabase;
import dev.spream.spring.SpreamAutoConfiguration;
import dev.spream.spring.SpreamSubscriptions;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.testkit.subscription.ScriptedSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The data source of an application keeps the partitions. */
@Timeout(120)
final class DataSourceStorageIT {
    private final PostgresDatabase database = PostgresDatabase.create();
    private final BlockingQueue<String> consumed = new LinkedBlockingQueue<>();
    private final ScriptedSource source =
            ScriptedSource.of(ScriptedSource.START, List.of(ScriptedSource.newChange(1, "A", "tx1")));
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(SpreamAutoConfiguration.class, DataSourceStorageAutoConfiguration.class))
            .withBean(DataSource.class, this::pool) // closed with each context
            .withBean(ChangeStreamSource.class, () -> source)
            .withBean("orders", Consumer.class, () ->
                    (ChangeHandler) change -> consumed.add(change.serverTransactionId()))
            .withPropertyValues(
                    "spream.defaults.storage=jdbc",
                    "spream.defaults.storage.jdbc.schema=shop",
                    "spream.defaults.start=" + ScriptedSource.START);

    private DataSource pool() {
        return JdbcPool.open(database.jdbcUrl(), Optional.empty(), Optional.empty());
    }

    @Test
    void a_restart_continues_from_the_database_of_the_application() {
        runner.run(context -> assertThat(consumed.poll(30, TimeUnit.SECONDS)).isEqualTo("tx1"));
        assertThat(JdbcPartitionStorage.subscriptions(database.source(), "shop"))
                .containsExactly("orders");

        source.change("p", 5, "B", "tx2");
        runner.run(context -> {
            String next = consumed.poll(30, TimeUnit.SECONDS);
            assertThat("tx1".equals(next) ? consumed.poll(30, TimeUnit.SECONDS) : next)
                    .isEqualTo("tx2");
            SpreamSubscriptions subscriptions = context.getBean(SpreamSubscriptions.class);
            subscriptions.stop("orders");
            subscriptions.start("orders"); // over the same storage
            source.change("p", 9, "C", "tx3");
            next = consumed.poll(30, TimeUnit.SECONDS);
            assertThat("tx2".equals(next) ? consumed.poll(30, TimeUnit.SECONDS) : next)
                    .isEqualTo("tx3");
        });
    }

    @Test
    void settings_of_a_pool_that_does_not_exist_are_a_problem() {
        runner.withPropertyValues("spream.defaults.storage.jdbc.pool-size=3")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("storage.jdbc.pool-size configures a pool of spream's own"));
    }

    @Test
    void two_subscriptions_with_one_stored_name_are_a_problem() {
        ApplicationContextRunner two = new ApplicationContextRunner()
                .withConfiguration(
                        AutoConfigurations.of(SpreamAutoConfiguration.class, DataSourceStorageAutoConfiguration.class))
                .withBean(DataSource.class, this::pool)
                .withBean("orders", Consumer.class, () -> (ChangeHandler) change -> {})
                .withBean("audit", Consumer.class, () -> (ChangeHandler) change -> {})
                .withPropertyValues(
                        "spream.auto-startup=false",
                        "spream.defaults.storage=jdbc",
                        "spream.defaults.source.spanner.database=projects/p/instances/i/databases/d",
                        "spream.defaults.source.spanner.stream=OrdersStream",
                        "spream.defaults.subscription=both");

        two.run(context -> assertThat(context.getStartupFailure())
                .rootCause()
                .hasMessageContaining("audit: it is stored as 'both'")
                .hasMessageContaining("as orders is"));
        two.withPropertyValues("spream.subscriptions.audit.subscription=audit", "spream.subscriptions.orders.worker=w")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void a_data_source_is_not_used_where_another_storage_is_configured() {
        runner.withPropertyValues("spream.defaults.storage=memory", "spream.auto-startup=false")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
