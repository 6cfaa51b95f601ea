package dev.spream.spring.jdbc;

import dev.spream.spring.SpreamAutoConfiguration;
import dev.spream.spring.StorageFromBean;
import dev.spream.storage.jdbc.JdbcPartitionStorage;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;

/** Uses the data source of the application for {@code storage=jdbc} without a {@code storage.jdbc.url}. */
@AutoConfiguration(
        before = SpreamAutoConfiguration.class,
        afterName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
@ConditionalOnClass({DataSource.class, JdbcPartitionStorage.class})
@ConditionalOnSingleCandidate(DataSource.class)
public final class DataSourceStorageAutoConfiguration {
    /** Creates the configuration; called by Spring. */
    public DataSourceStorageAutoConfiguration() {}

    @Bean
    StorageFromBean spreamDataSourceStorage(DataSource dataSource) {
        return new DataSourceStorage(dataSource);
    }
}
