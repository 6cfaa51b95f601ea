package dev.spream.spring.jdbc;

import dev.spream.outbox.Outbox;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.worker.OutboxListener;
import dev.spream.outbox.worker.OutboxWorker;
import dev.spream.outbox.worker.OutboxWorkerOptions;
import dev.spream.spring.outbox.OutboxWorkers;
import dev.spream.spring.outbox.SenderBeans;
import dev.spream.storage.jdbc.outbox.JdbcOutbox;
import dev.spream.storage.jdbc.outbox.JdbcOutboxOperations;
import dev.spream.storage.jdbc.outbox.JdbcOutboxStore;
import dev.spream.storage.jdbc.outbox.OutboxBuilder;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * An outbox over the data source of the application, for its transactions; and a worker for its {@link OutboxSender}
 * beans, with all {@link OutboxListener} beans.
 */
@AutoConfiguration(afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass({DataSource.class, JdbcOutbox.class, DataSourceUtils.class})
@ConditionalOnProperty(name = "spream.outbox.enabled", havingValue = "true")
@EnableConfigurationProperties(OutboxProperties.class)
public final class OutboxAutoConfiguration {
    /** Creates the configuration; called by Spring. */
    public OutboxAutoConfiguration() {}

    /** Returns the data source of the application. */
    private static DataSource only(ObjectProvider<DataSource> dataSources) {
        DataSource only = dataSources.getIfUnique();
        if (only == null) {
            throw new IllegalStateException(
                    "spream.outbox.enabled is true, but the application has %s; define one, or mark the outbox's as @Primary"
                            .formatted(
                                    dataSources.stream().findAny().isEmpty()
                                            ? "no DataSource bean"
                                            : "several DataSource beans, none of them primary"));
        }
        return only;
    }

    private static <P> P build(OutboxBuilder<P> builder, OutboxProperties properties) {
        builder.migrate(properties.migrate()).statementTimeout(properties.statementTimeout());
        if (properties.schema() != null) {
            builder.schema(properties.schema());
        }
        if (properties.table() != null) {
            builder.table(properties.table());
        }
        if (properties.ledger() != null) {
            builder.ledger(properties.ledger());
        }
        return builder.build();
    }

    @Bean
    @ConditionalOnMissingBean(Outbox.class)
    JdbcOutbox spreamOutbox(ObjectProvider<DataSource> dataSources, OutboxProperties properties) {
        return build(JdbcOutbox.builder(only(dataSources)), properties);
    }

    @Bean
    @ConditionalOnBean(JdbcOutbox.class)
    @ConditionalOnMissingBean
    TransactionalOutbox spreamTransactionalOutbox(JdbcOutbox outbox, ObjectProvider<DataSource> dataSources) {
        return new TransactionalOutbox(outbox, only(dataSources));
    }

    @Bean
    @ConditionalOnMissingBean(OutboxOperations.class)
    JdbcOutboxOperations spreamOutboxOperations(ObjectProvider<DataSource> dataSources, OutboxProperties properties) {
        return build(JdbcOutboxOperations.builder(only(dataSources)), properties);
    }

    @Bean
    @ConditionalOnBean(OutboxSender.class)
    @ConditionalOnProperty(name = "spream.outbox.worker.enabled", matchIfMissing = true)
    JdbcOutboxStore spreamOutboxStore(ObjectProvider<DataSource> dataSources, OutboxProperties properties) {
        return build(JdbcOutboxStore.builder(only(dataSources)), properties);
    }

    @Bean
    @ConditionalOnBean(JdbcOutboxStore.class)
    @ConditionalOnMissingBean
    OutboxWorkers spreamOutboxWorkers(
            JdbcOutboxStore store,
            OutboxProperties properties,
            ListableBeanFactory beans,
            ObjectProvider<OutboxListener> listeners) {
        SenderBeans senders = SenderBeans.of(beans);
        properties.requireSenders(senders.byDestination().keySet());
        OutboxWorkerOptions options = properties.worker().options(listeners.orderedStream());
        return new OutboxWorkers(
                () -> worker(store, senders, options, properties),
                properties.worker().shutdownTimeout());
    }

    private static OutboxWorker worker(
            JdbcOutboxStore store, SenderBeans senders, OutboxWorkerOptions options, OutboxProperties properties) {
        OutboxSender byDefault = senders.byDestination().get("");
        OutboxWorker.Builder worker =
                byDefault == null ? OutboxWorker.builder(store) : OutboxWorker.builder(store, byDefault);
        senders.byDestination().forEach((destination, sender) -> {
            if (!destination.isEmpty()) {
                worker.sender(destination, sender, properties.sender(destination, options));
            }
        });
        return worker.options(options).build();
    }
}
