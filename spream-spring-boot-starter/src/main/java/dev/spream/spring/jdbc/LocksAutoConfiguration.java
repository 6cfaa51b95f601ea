package dev.spream.spring.jdbc;

import dev.spream.lock.HierarchicalLocks;
import dev.spream.lock.LockListener;
import dev.spream.storage.jdbc.lock.JdbcLockStore;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Locks over the data source of the application, with all {@link LockListener} beans. */
@AutoConfiguration(afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass({DataSource.class, JdbcLockStore.class})
@ConditionalOnSingleCandidate(DataSource.class)
@ConditionalOnProperty(name = "spream.locks.enabled", havingValue = "true")
@ConditionalOnMissingBean(HierarchicalLocks.class)
@EnableConfigurationProperties(LockProperties.class)
public final class LocksAutoConfiguration {
    /** Creates the configuration; called by Spring. */
    public LocksAutoConfiguration() {}

    @Bean
    JdbcLockStore spreamLockStore(DataSource dataSource, LockProperties properties) {
        JdbcLockStore.Builder builder = JdbcLockStore.builder(dataSource)
                .handles(properties.handles())
                .holderTimeout(properties.holderTimeout())
                .statementTimeout(properties.statementTimeout())
                .migrate(properties.migrate());
        return (properties.schema() == null ? builder : builder.schema(properties.schema())).build();
    }

    @Bean
    HierarchicalLocks<Connection> spreamLocks(JdbcLockStore store, ObjectProvider<LockListener> listeners) {
        HierarchicalLocks.Builder<Connection> builder = HierarchicalLocks.builder(store);
        listeners.orderedStream().forEach(builder::listener);
        return builder.build();
    }
}
