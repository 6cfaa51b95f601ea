package dev.spream.spring.jdbc;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the locks over the data source of the application.
 *
 * @param enabled whether there are any
 * @param schema the schema of their tables; null for the default
 * @param handles the number of open handles and transactions that lock
 * @param holderTimeout the time after which a paused process loses its locks
 * @param statementTimeout the limit of a statement that does not wait for locks
 * @param migrate whether to create and migrate the tables
 */
@ConfigurationProperties(prefix = "spream.locks", ignoreUnknownFields = false)
record LockProperties(
        @DefaultValue("false") boolean enabled,
        @Nullable String schema,
        @DefaultValue("4") int handles,
        @DefaultValue("1m") Duration holderTimeout,
        @DefaultValue("5s") Duration statementTimeout,
        @DefaultValue("true") boolean migrate) {}
