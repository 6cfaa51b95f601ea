package dev.spream.storage.jdbc.internal;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The options that all builders of this module share. Every one has a default. Confined to one thread.
 *
 * @param <B> the builder itself
 */
public abstract class TablesBuilder<B extends TablesBuilder<B>> {
    public static final String DEFAULT_SCHEMA = "spream";
    public static final Duration MIN_STATEMENT_TIMEOUT = Duration.ofSeconds(1);
    public static final Duration MAX_STATEMENT_TIMEOUT = Duration.ofHours(1);

    private final DataSource dataSource;
    private Optional<SchemaName> schema = Optional.empty();
    private boolean migrate = true;
    private Duration statementTimeout;

    protected TablesBuilder(DataSource dataSource, Duration statementTimeout) {
        this.dataSource = requireNonNull(dataSource, "dataSource");
        this.statementTimeout = statementTimeout;
    }

    /**
     * Sets the schema of the tables, {@value #DEFAULT_SCHEMA} by default: lower-case letters, digits and underscores.
     */
    public final B schema(String schema) {
        this.schema = Optional.of(new SchemaName(schema));
        return self();
    }

    /**
     * Sets whether to create and migrate the schema and its tables where needed; true by default. Otherwise they are
     * only checked, for services whose user may not alter tables.
     */
    public final B migrate(boolean migrate) {
        this.migrate = migrate;
        return self();
    }

    /**
     * Sets the time limit of a statement, whole seconds from 1 second to 1 hour. A connection whose server does not
     * answer counts as dead 2 seconds later.
     */
    public final B statementTimeout(Duration statementTimeout) {
        checkStatementTimeout(statementTimeout);
        this.statementTimeout = statementTimeout;
        return self();
    }

    /** Rejects a statement timeout that these tables do not support. */
    protected void checkStatementTimeout(Duration timeout) {
        requireStatementTimeout(timeout);
    }

    @SuppressWarnings("unchecked")
    private B self() {
        return (B) this;
    }

    protected final DataSource dataSource() {
        return dataSource;
    }

    protected final SchemaName schema() {
        return schema.orElseGet(() -> new SchemaName(DEFAULT_SCHEMA));
    }

    /** Returns the schema that was set; empty for the default. */
    protected final Optional<SchemaName> givenSchema() {
        return schema;
    }

    /** Returns whether to create and migrate the tables. */
    protected final boolean migrates() {
        return migrate;
    }

    protected final Duration statementTimeout() {
        return statementTimeout;
    }

    /** Migrates or checks the tables. */
    protected final void ensure(MigratedTables tables) {
        new SchemaMigration(dataSource, schema(), tables).ensure(migrate);
    }

    /** Returns the name after validation; it becomes part of a textual key. */
    public static String requireSubscription(String name, int maxLength) {
        if (name.isBlank() || name.length() > maxLength || name.indexOf('\0') >= 0) {
            throw new IllegalArgumentException(
                    "malformed subscription name '%s': expected 1 to %d characters, not all blank, none of them NUL"
                            .formatted(name.replace('\0', '?'), maxLength));
        }
        return name;
    }

    /** Returns the limit after validation, in the driver's precision. */
    public static Duration requireStatementTimeout(Duration timeout) {
        if (timeout.compareTo(MIN_STATEMENT_TIMEOUT) < 0
                || timeout.compareTo(MAX_STATEMENT_TIMEOUT) > 0
                || !timeout.equals(timeout.truncatedTo(ChronoUnit.SECONDS))) {
            throw new IllegalArgumentException(
                    "statementTimeout must be whole seconds from PT1S to PT1H, was " + DurationText.of(timeout));
        }
        return timeout;
    }
}
