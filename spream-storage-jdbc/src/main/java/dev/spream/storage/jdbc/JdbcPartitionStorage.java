package dev.spream.storage.jdbc;

import static java.util.Objects.requireNonNull;

import dev.spream.api.spi.SubscriptionCatalog;
import dev.spream.core.StorageException;
import dev.spream.core.partition.AuditedCorrection;
import dev.spream.core.partition.Correction;
import dev.spream.core.partition.CorrectionAct;
import dev.spream.core.partition.CorrectionOutcome;
import dev.spream.core.partition.FinishedPartition;
import dev.spream.core.partition.FrontierChanges;
import dev.spream.core.partition.Lineage;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionClaim;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionStorage;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.partition.WorkerId;
import dev.spream.core.partition.WorkerRegistration;
import dev.spream.core.partition.WorkerRegistration.WorkerProgress;
import dev.spream.core.record.ChildPartitionsRecord;
import dev.spream.storage.jdbc.internal.Database;
import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaMigration;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.sql.DataSource;

/**
 * A {@link PartitionStorage} in PostgreSQL 14 or newer. One schema can have several subscriptions; each instance serves
 * one of them, and any number of instances, in any number of processes, can share it. Leases are measured by the
 * server's clock.
 *
 * <p>Safe for use by many threads. Each call takes a connection and returns it at its end. The caller owns the data
 * source and closes it after the storage; {@link JdbcPool} opens one with suitable settings.
 *
 * <p>Correctness: each method but {@link #correct} is one statement in a transaction of its own, at READ COMMITTED, the
 * default.
 *
 * <ul>
 *   <li>A snapshot is one statement, so it is consistent.
 *   <li>A write locks the row that it is fenced by and evaluates its conditions on the locked row: at READ COMMITTED, a
 *       statement that waited for a row reads the version that the other transaction committed, and the conditions are
 *       checked again.
 *   <li>Rows are locked, and children inserted, in the order of their keys, partitions before children, so that batches
 *       cannot deadlock.
 *   <li>Everything else that a write depends on is final: FINISHED does not change, stored rows stay stored, and a
 *       removed partition keeps its row as the proof that it finished. So a statement may read it as of its start. Only
 *       a correction changes it, while no worker holds a lease; and a proof is removed once no statement can name it.
 *   <li>No lock is held between two round trips, except by a correction, whose session the server ends if it is idle: a
 *       process that is suspended during another call blocks no other.
 * </ul>
 */
public final class JdbcPartitionStorage implements PartitionStorage {
    static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(5);

    private static final int MAX_NAME_LENGTH = 200;

    static final MigratedTables TABLES = new MigratedTables(
            "the partition storage",
            "dev/spream/storage/jdbc/partitions",
            "partition_storage_history",
            7,
            "migrate(true), in a configuration storage.jdbc.migrate=true");

    private final Database database;
    private final String subscription;

    private JdbcPartitionStorage(Database database, String subscription) {
        this.database = database;
        this.subscription = subscription;
    }

    /**
     * Opens the storage of that subscription in the schema {@code spream}. Creates the schema and migrates its tables
     * where needed, which takes three connections at the same time.
     *
     * @param subscription its name in this database, 1 to 200 characters; not that of the change stream, which several
     *     subscriptions can read
     * @throws StorageException if the database cannot be reached, or its tables are not as expected
     */
    public static JdbcPartitionStorage create(DataSource dataSource, String subscription) {
        return builder(dataSource, subscription).build();
    }

    public static Builder builder(DataSource dataSource, String subscription) {
        return new Builder(dataSource, subscription);
    }

    /** Returns the names of the subscriptions that are stored in that schema, sorted. */
    public static List<String> subscriptions(DataSource dataSource, String schema) {
        SchemaName name = new SchemaName(schema);
        new SchemaMigration(dataSource, name, TABLES).check();
        return SubscriptionTable.names(new Database(dataSource, name, DEFAULT_STATEMENT_TIMEOUT));
    }

    @Override
    public SubscriptionRecord openSubscription(SubscriptionRecord requested) {
        return new SubscriptionTable(database, subscription).open(requested);
    }

    @Override
    public Optional<SubscriptionRecord> subscription() {
        return new SubscriptionTable(database, subscription).find();
    }

    @Override
    public Optional<Instant> createdAt() {
        return new SubscriptionTable(database, subscription).createdAt();
    }

    @Override
    public boolean completeIfAllFinished() {
        return new SubscriptionTable(database, subscription).completeIfAllFinished();
    }

    @Override
    public Lineage lineage() {
        return new PartitionTable(database, subscription).lineage();
    }

    @Override
    public Lineage frontier() {
        return frontierSince(Optional.empty(), Set.of()).partitions();
    }

    @Override
    public FrontierChanges frontierSince(Optional<String> since, Set<PartitionToken> watched) {
        return new FrontierLooks(database, subscription).since(since, watched);
    }

    @Override
    public List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
        return new PartitionLeases(database, subscription).acquire(worker, claims, leaseTime);
    }

    @Override
    public boolean markRunning(PartitionLease lease) {
        return new PartitionLeases(database, subscription).markRunning(lease);
    }

    @Override
    public Set<PartitionToken> renew(Collection<PartitionLease> renewed, Duration leaseTime) {
        return new PartitionLeases(database, subscription).renew(renewed, leaseTime);
    }

    @Override
    public boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
        return new WatermarkWrites(database, subscription).addChildren(parent, children);
    }

    @Override
    public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
        return new WatermarkWrites(database, subscription).advance(advances);
    }

    @Override
    public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
        return new WatermarkWrites(database, subscription).waitForMoveIn(lease, moveIn);
    }

    @Override
    public boolean acceptGap(PartitionLease lease, PartitionGap gap) {
        return new WatermarkWrites(database, subscription).acceptGap(lease, gap);
    }

    @Override
    public boolean finish(PartitionLease lease, Instant watermark, PartitionEnd proof) {
        return new WatermarkWrites(database, subscription).finish(lease, watermark, proof);
    }

    @Override
    public void release(Collection<PartitionLease> released) {
        new PartitionLeases(database, subscription).release(released);
    }

    @Override
    public void releaseExpired(Collection<PartitionLease> expired) {
        new PartitionLeases(database, subscription).releaseExpired(expired);
    }

    @Override
    public void registerWorker(
            WorkerId worker,
            int capacity,
            boolean wholeTransactions,
            Optional<WorkerProgress> progress,
            Duration aliveTime) {
        new WorkerTable(database, subscription).register(worker, capacity, wholeTransactions, progress, aliveTime);
    }

    @Override
    public void unregisterWorker(WorkerId worker) {
        new WorkerTable(database, subscription).unregister(worker);
    }

    @Override
    public List<WorkerRegistration> workers() {
        return new WorkerTable(database, subscription).list();
    }

    @Override
    public int expireWorkers() {
        return new WorkerTable(database, subscription).expire();
    }

    @Override
    public int cleanUp(Instant finishedBefore) {
        return new PartitionTable(database, subscription).cleanUp(finishedBefore);
    }

    @Override
    public int forgetProofs(Instant finishedBefore) {
        return new PartitionTable(database, subscription).forgetProofs(finishedBefore);
    }

    @Override
    public List<FinishedPartition> proofs() {
        return new PartitionTable(database, subscription).proofs();
    }

    @Override
    public CorrectionOutcome correct(Correction correction, CorrectionAct act) {
        return new CorrectionTable(database, subscription).correct(correction, act);
    }

    @Override
    public List<AuditedCorrection> corrections() {
        return new CorrectionTable(database, subscription).list();
    }

    /** Makes further calls fail. Holds no resources; the data source is left open. */
    @Override
    public void close() {
        database.close();
    }

    /**
     * Options of a storage. The statement timeout, 5 seconds by default, should stay well below the lease time, so that
     * a call that hangs can be repeated before leases expire.
     */
    public static final class Builder extends TablesBuilder<Builder> {
        private final String subscription;

        private Builder(DataSource dataSource, String subscription) {
            super(dataSource, DEFAULT_STATEMENT_TIMEOUT);
            this.subscription = requireSubscription(requireNonNull(subscription, "subscription"), MAX_NAME_LENGTH);
        }

        /**
         * Builds the storage, after the tables were migrated or checked.
         *
         * @throws StorageException if the database cannot be reached, or its tables are not as expected
         */
        public JdbcPartitionStorage build() {
            ensure(TABLES);
            return open(subscription);
        }

        /** Returns the catalog of the schema, after the tables were migrated or checked. */
        SubscriptionCatalog catalog() {
            ensure(TABLES);
            return new JdbcSubscriptionCatalog(this, subscription);
        }

        JdbcPartitionStorage open(String name) {
            return new JdbcPartitionStorage(database(), name);
        }

        Database database() {
            return new Database(dataSource(), schema(), statementTimeout());
        }
    }
}
