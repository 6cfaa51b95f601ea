package dev.spream.storage.jdbc.event;

import dev.spream.core.StorageException;
import dev.spream.projection.Projection;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Builds an event store or its source. Every option has a default. Confined to one thread.
 *
 * <p>Two-phase commit ({@code PREPARE TRANSACTION}, XA data sources) is not supported for transactions that append: a
 * prepared one blocks all readers until it is committed or rolled back, and PostgreSQL refuses to prepare one that
 * notified a reader.
 *
 * <p>A user of the database that may not migrate the table needs {@code SELECT} on it, on its sequence and on its mark,
 * and {@code INSERT} on the table in order to append. A user that reads should have {@code UPDATE} on the mark as well:
 * readers that start while an append is open then read at once up to the stored mark. The statement timeout is 5
 * seconds by default; statements in a caller's transaction have the caller's limits.
 */
public final class JdbcEventStoreBuilder extends TablesBuilder<JdbcEventStoreBuilder> {
    static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(5);

    private String table = EventTable.DEFAULT_NAME;
    private InlineProjections inline = new InlineProjections(List.of());

    JdbcEventStoreBuilder(DataSource dataSource) {
        super(dataSource, DEFAULT_STATEMENT_TIMEOUT);
    }

    /** Sets the table of the events, {@code events} by default; the names of its other objects begin with it. */
    public JdbcEventStoreBuilder table(String table) {
        this.table = EventTable.requireName(table);
        return this;
    }

    /**
     * Adds a projection that the store applies in the transaction of each append, before the events are inserted: after
     * an append, its read model has the events; if it fails, nothing is appended. It has no checkpoint, no parked
     * aggregates and no versions. Events of an aggregate are applied one append at a time, in order.
     *
     * <p>Every process that appends must add the same projections. Events that other programs insert, or that were
     * appended before, are missing in the read model until {@link JdbcEventStore#rebuildInline}.
     *
     * @throws IllegalArgumentException if the projection has side effects or a read model outside of the database
     */
    public JdbcEventStoreBuilder inline(Projection<? super Connection> projection) {
        List<Projection<? super Connection>> more = new ArrayList<>(inline.projections());
        more.add(projection);
        this.inline = new InlineProjections(more);
        return this;
    }

    /**
     * Builds the store, after the table was migrated or checked, which takes three connections at the same time.
     *
     * @throws StorageException if the database cannot be reached, or its table is not as expected
     */
    public JdbcEventStore build() {
        EventTable events = new EventTable(schema(), table);
        ensure(events.migrated());
        EventDatabase database = new EventDatabase(dataSource(), events, statementTimeout());
        BarrierCheck.require(database);
        return new JdbcEventStore(database, inline);
    }
}
