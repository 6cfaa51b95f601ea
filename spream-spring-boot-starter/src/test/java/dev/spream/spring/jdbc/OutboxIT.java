package dev.spream.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.api.metrics.OutboxMetrics;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxMessage;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.SendOutcome;
import dev.spream.servers.PostgresDatabase;
import dev.spream.spring.actuate.OutboxHealthAutoConfiguration;
import dev.spream.spring.actuate.OutboxHealthIndicator;
import dev.spream.spring.metrics.OutboxMetricsAutoConfiguration;
import dev.spream.spring.outbox.OutboxDestination;
import dev.spream.spring.outbox.OutboxWorkers;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.storage.jdbc.outbox.JdbcOutbox;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The outbox of an application over its data source. The worker polls once an hour: what is sent was signalled. */
@Timeout(180)
final class OutboxIT {
    private final PostgresDatabase database = PostgresDatabase.create();
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OutboxAutoConfiguration.class,
                    OutboxMetricsAutoConfiguration.class,
                    OutboxHealthAutoConfiguration.class))
            .withBean(DataSource.class, this::pool)
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withUserConfiguration(Shop.class)
            .withPropertyValues("spream.outbox.enabled=true", "spream.outbox.worker.poll-interval=1h");

    private HikariDataSource pool() {
        return JdbcPool.open(database.jdbcUrl(), Optional.empty(), Optional.empty());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Shop {
        @Bean
        PlatformTransactionManager transactions(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        Noting orders() {
            return new Noting();
        }

        @Bean
        @OutboxDestination("mail")
        Noting mail() {
            return new Noting();
        }

        @Bean
        Parts parts(TransactionalOutbox outbox) {
            return new Parts(outbox);
        }

        @Bean
        Orders service(TransactionalOutbox outbox, Parts parts) {
            return new Orders(outbox, parts);
        }
    }

    static class Noting implements OutboxSender {
        final BlockingQueue<String> sent = new LinkedBlockingQueue<>();

        @Override
        public Guarantee guarantee() {
            return Guarantee.IDEMPOTENT;
        }

        @Override
        public SendOutcome send(OutboxEntry entry, Duration timeout) {
            sent.add(entry.idempotencyKey());
            return new SendOutcome.Succeeded(LedgerResult.succeeded());
        }

        String next() throws InterruptedException {
            return String.valueOf(sent.poll(60, TimeUnit.SECONDS));
        }
    }

    static class Parts {
        private final TransactionalOutbox outbox;

        Parts(TransactionalOutbox outbox) {
            this.outbox = outbox;
        }

        @Transactional(propagation = Propagation.NESTED)
        public void failNested() {
            outbox.enqueue(message("never nested"));
            throw new IllegalStateException("nested");
        }

        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void apart() {
            outbox.enqueue(message("apart"));
        }
    }

    static class Orders {
        private final TransactionalOutbox outbox;
        private final Parts parts;

        Orders(TransactionalOutbox outbox, Parts parts) {
            this.outbox = outbox;
            this.parts = parts;
        }

        @Transactional
        public void place(String key) {
            outbox.enqueue(message(key));
            outbox.enqueue(OutboxMessage.builder(key + " by mail", "{}")
                    .destination("mail")
                    .build());
        }

        @Transactional
        public void fail() {
            outbox.enqueue(message("never"));
            throw new IllegalStateException("no stock");
        }

        @Transactional
        public void placeWithParts() {
            outbox.enqueue(message("whole"));
            parts.apart();
            try {
                parts.failNested();
            } catch (IllegalStateException e) {
                outbox.enqueue(message("instead"));
            }
        }
    }

    private static OutboxMessage message(String key) {
        return OutboxMessage.of(key, "{}");
    }

    private static Noting sender(AssertableApplicationContext context, String name) {
        return context.getBean(name, Noting.class);
    }

    @Test
    void a_transactional_method_enqueues_and_its_commit_has_the_messages_sent() {
        runner.run(context -> {
            Orders orders = context.getBean(Orders.class);
            assertThatThrownBy(orders::fail).hasMessage("no stock");
            orders.place("order");
            assertThat(sender(context, "orders").next()).isEqualTo("order");
            assertThat(sender(context, "mail").next()).isEqualTo("order by mail");
            orders.place("another");
            assertThat(sender(context, "orders").next()).isEqualTo("another");
            assertThat(context.getBean(OutboxOperations.class).find("never")).isEmpty();
        });
    }

    @Test
    void an_inner_transaction_has_messages_of_its_own_and_a_nested_one_that_is_rolled_back_sends_none() {
        runner.run(context -> {
            context.getBean(Orders.class).placeWithParts();
            Noting sender = sender(context, "orders");
            assertThat(sender.next()).isEqualTo("apart");
            assertThat(List.of(sender.next(), sender.next())).containsExactlyInAnyOrder("whole", "instead");
            assertThat(context.getBean(OutboxOperations.class).find("never nested"))
                    .isEmpty();
        });
    }

    @Test
    void nothing_is_enqueued_outside_of_a_transaction_of_the_data_source() {
        runner.run(context -> {
            TransactionalOutbox outbox = context.getBean(TransactionalOutbox.class);
            assertThatThrownBy(() -> outbox.enqueue(message("never")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("@Transactional");
            try (HikariDataSource other = pool()) {
                TransactionTemplate elsewhere = new TransactionTemplate(new JdbcTransactionManager(other));
                assertThatThrownBy(() -> elsewhere.executeWithoutResult(status -> outbox.enqueue(message("never"))))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("not one of the outbox's data source");
            }
        });
    }

    private static TransactionTemplate transaction(AssertableApplicationContext context) {
        return new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
    }

    private static void assertNotSent(AssertableApplicationContext context, String... keys) throws Exception {
        context.getBean(Orders.class).place("last");
        assertThat(sender(context, "orders").next()).isEqualTo("last");
        assertThat(keys)
                .allSatisfy(key -> assertThat(
                                context.getBean(OutboxOperations.class).find(key))
                        .isEmpty());
    }

    @Test
    void after_an_ignored_error_the_transaction_fails_and_nothing_is_sent() {
        runner.run(context -> {
            TransactionalOutbox outbox = context.getBean(TransactionalOutbox.class);
            JdbcTemplate statements = new JdbcTemplate(context.getBean(DataSource.class));
            assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                        outbox.enqueue(message("never"));
                        assertThatThrownBy(() -> statements.execute("SELECT 1/0"))
                                .isInstanceOf(DataAccessException.class);
                    }))
                    .hasMessageContaining("nothing of it was committed");
            assertNotSent(context, "never");
        });
    }

    @Test
    void a_transaction_of_another_data_source_is_refused_even_if_the_pool_does_not_commit_by_itself() {
        runner.run(context -> {
            try (HikariDataSource pool = new HikariDataSource()) {
                pool.setJdbcUrl(database.jdbcUrl());
                pool.setAutoCommit(false);
                pool.setMaximumPoolSize(4);
                TransactionalOutbox outbox = new TransactionalOutbox(JdbcOutbox.create(pool), pool);
                assertThatThrownBy(() ->
                                transaction(context).executeWithoutResult(status -> outbox.enqueue(message("never"))))
                        .hasMessageContaining("not one of the outbox's data source");
                assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                            new JdbcTemplate(pool).execute("SELECT 1"); // borrows a connection until the end
                            outbox.enqueue(message("never, either"));
                        }))
                        .hasMessageContaining("give the transaction manager the data source");
                long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
                while (pool.getHikariPoolMXBean().getActiveConnections() > 0) { // claims are released in the background
                    assertThat(System.nanoTime())
                            .as("a connection was not returned")
                            .isLessThan(deadline);
                    TimeUnit.MILLISECONDS.sleep(5);
                }
                assertNotSent(context, "never", "never, either");
                new TransactionTemplate(new JdbcTransactionManager(pool))
                        .executeWithoutResult(status -> outbox.enqueue(message("order")));
                assertThat(sender(context, "orders").next()).isEqualTo("order");
            }
        });
    }

    @Test
    void a_message_is_refused_after_the_commit_and_in_a_read_only_transaction() {
        runner.run(context -> {
            TransactionalOutbox outbox = context.getBean(TransactionalOutbox.class);
            assertThatThrownBy(() -> transaction(context).executeWithoutResult(status -> {
                        outbox.enqueue(message("order"));
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                outbox.enqueue(message("never"));
                            }
                        });
                    }))
                    .hasMessageContaining("REQUIRES_NEW");
            assertThat(sender(context, "orders").next()).isEqualTo("order");
            TransactionTemplate reading = transaction(context);
            reading.setReadOnly(true);
            assertThatThrownBy(() -> reading.executeWithoutResult(status -> outbox.enqueue(message("never"))))
                    .hasMessageContaining("read-only");
            assertNotSent(context, "never");
        });
    }

    @Test
    void the_worker_is_healthy_measured_and_drained() {
        runner.run(context -> {
            assertThat(context.getBean(OutboxHealthIndicator.class).health().getStatus())
                    .isEqualTo(Status.UP);
            context.getBean(Orders.class).place("order");
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            Counter succeeded =
                    meters.get("outbox.processed").tag("outcome", "succeeded").counter();
            long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (succeeded.count() < 2) {
                assertThat(System.nanoTime() - until).as("not counted").isNegative();
                LockSupport.parkNanos(2_000_000);
            }
            assertThat(context.getBean(OutboxMetrics.class)).isNotNull();
            OutboxWorkers worker = context.getBean(OutboxWorkers.class);
            worker.stop();
            assertThat(context.getBean(OutboxHealthIndicator.class).health().getStatus())
                    .isEqualTo(Status.OUT_OF_SERVICE);
            context.getBean(Orders.class).place("later");
            assertThat(context.getBean(OutboxOperations.class)
                            .find("later")
                            .orElseThrow()
                            .status())
                    .isEqualTo(OutboxStatus.PENDING);
            worker.start();
            sender(context, "orders").next();
            assertThat(sender(context, "orders").next()).isEqualTo("later");
        });
    }

    @Test
    void an_application_may_enqueue_alone_and_properties_are_checked() {
        runner.withPropertyValues("spream.outbox.worker.enabled=false", "spream.outbox.schema=shop")
                .run(context -> {
                    assertThat(context).hasNotFailed().doesNotHaveBean(OutboxWorkers.class);
                    context.getBean(Orders.class).place("order");
                    assertThat(context.getBean(OutboxOperations.class).find("order"))
                            .isPresent();
                });
        runner.withPropertyValues("spream.outbox.senders.mail.concurrency=0")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("spream.outbox.senders.mail: concurrency"));
        runner.withPropertyValues("spream.outbox.worker.rate=0")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("spream.outbox.worker: rate"));
        runner.withPropertyValues("spream.outbox.senders.mial.rate=5")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("spream.outbox.senders.mial")
                        .hasMessageContaining("[, mail]"));
        runner.withPropertyValues("spream.outbox.worker.concurency=1")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("concurency"));
        runner.withBean("second", Noting.class, Noting::new)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("@OutboxDestination")
                        .hasMessageContaining("second"));
    }

    @Test
    void an_enabled_outbox_needs_one_data_source() {
        ApplicationContextRunner without = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(OutboxAutoConfiguration.class))
                .withPropertyValues("spream.outbox.enabled=true");
        without.run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("no DataSource bean"));
        without.withBean("one", DataSource.class, HikariDataSource::new)
                .withBean("two", DataSource.class, HikariDataSource::new)
                .run(context ->
                        assertThat(context).getFailure().rootCause().hasMessageContaining("several DataSource"));
    }
}
