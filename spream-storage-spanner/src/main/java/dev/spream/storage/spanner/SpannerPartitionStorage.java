package dev.spream.storage.spanner;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.LoggedFailure;
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
import dev.spream.storage.spanner.client.DatabaseCalls;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link PartitionStorage} in a Spanner database of either dialect: a table of partitions with the columns of Apache
 * Beam and further ones, and four small tables named after it. {@link SpannerPartitionTables} creates them, or adopts
 * a table of Beam. The database need not be that of the change stream; if it is the same, the stream should not watch
 * these tables.
 *
 * <p>All writes of one instance go through one writer, which executes the operations that arrive during a transaction
 * in the next one. Leases and registrations are measured on Spanner's clock. A write of more than 1,000 independent
 * rows takes several transactions, and {@link #cleanUp} one for every 1,000 partitions: if one of them fails, the
 * earlier ones remain committed. A heartbeat interval is stored in milliseconds, as Spanner accepts it. A look that finds
 * no change takes two requests, which return one row.
 *
 * <p>Rows that another transaction has locked do not delay others: a transaction that waits for a quarter of a call's
 * time limit, or for 1,000 rows three eighths of it, and longer if the server answers slowly, is rolled back, and its
 * rows are written in smaller parts until the locked ones are found. A call does so for half of its time limit and
 * until the current transaction ends, and the next calls continue from there; {@link
 * dev.spream.core.partition.BusyPartitionsException} names the rows that are locked, or not yet known to be free. So
 * the first call for hundreds of rows, one of them locked, takes 3 to 4 of 6 seconds, and the next ones at most a
 * quarter of the time limit for each locked row: a lease time of two calls suffices for that.
 *
 * <p>A call to a server that does not answer fails after its time limit, 6 seconds by default, and a quarter more if it
 * has to wait for earlier writes; if a part of it was written by then, the rest counts as busy. {@link #acquire}
 * returns the confirmed leases, and fails if there are none; unconfirmed ones become free when they expire. A call that
 * reads a whole table ({@link #lineage}, {@link #proofs}, {@link #cleanUp}, {@link #forgetProofs}) fails after a minute. An interrupted call
 * fails at once and leaves the flag set. Safe for use by many threads. It does not close its connection.
 */
public final class SpannerPartitionStorage implements PartitionStorage {
    /**
     * The default time limit of a call: less than half of a default lease, so that one call without an answer does not
     * lose it.
     */
    static final Duration TIMEOUT = Duration.ofSeconds(6);

    static final Duration MIN_TIMEOUT = Duration.ofSeconds(1);
    static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);

    private static final Logger log = LoggerFactory.getLogger(SpannerPartitionStorage.class);

    private final MetadataReads reads;
    private final FrontierReads frontierReads;
    private final GroupWriter writer;
    private volatile boolean closed;

    private SpannerPartitionStorage(SpannerConnection connection, MetadataTables tables, DatabaseCalls calls) {
        this.reads = new MetadataReads(connection.client(), tables, calls);
        this.frontierReads = new FrontierReads(connection.client(), tables, calls);
        this.writer = new GroupWriter(connection.client(), tables, calls, connection::rollBack);
    }

    /**
     * Opens the storage of a subscription whose tables exist.
     *
     * @param connection a client of the database that has the tables; several storages may share it
     * @param table the table of partitions
     * @throws IllegalArgumentException if the name is not a valid name of a table
     * @throws StorageException if tables or columns are missing, which {@link SpannerPartitionTables#create} creates,
     *     or if the database cannot be queried
     */
    public static SpannerPartitionStorage open(SpannerConnection connection, String table) {
        return open(connection, table, TIMEOUT);
    }

    /**
     * Opens the storage with another time limit, for a server that is slow or far away.
     *
     * @param callTimeout the time limit of a call, a quarter longer if it waits for earlier writes; 1 s to 1 min, 6 s
     *     by default. It should be at most half of the lease time, so that a call without an answer does not lose the
     *     leases
     */
    public static SpannerPartitionStorage open(SpannerConnection connection, String table, Duration callTimeout) {
        MetadataTables.requireValid(requireNonNull(table, "table"));
        if (callTimeout.compareTo(MIN_TIMEOUT) < 0 || callTimeout.compareTo(MAX_TIMEOUT) > 0) {
            throw new IllegalArgumentException("callTimeout is %s, must be %s to %s"
                    .formatted(
                            DurationText.of(callTimeout), DurationText.of(MIN_TIMEOUT), DurationText.of(MAX_TIMEOUT)));
        }
        DatabaseCalls calls = new DatabaseCalls(connection.database() + " table " + table, callTimeout);
        MetadataSchema schema = MetadataSchema.read(connection, table, calls);
        schema.requireComplete();
        return new SpannerPartitionStorage(connection, schema.tables(), calls);
    }

    @Override
    public SubscriptionRecord openSubscription(SubscriptionRecord requested) {
        return write(SubscriptionRows.open(requireNonNull(requested, "requested")));
    }

    @Override
    public Optional<SubscriptionRecord> subscription() {
        requireOpen();
        return reads.subscription();
    }

    @Override
    public Optional<Instant> createdAt() {
        requireOpen();
        return reads.createdAt();
    }

    @Override
    public boolean completeIfAllFinished() {
        return write(SubscriptionRows.complete());
    }

    @Override
    public Lineage lineage() {
        requireOpen();
        return reads.lineage();
    }

    @Override
    public Lineage frontier() {
        return frontierSince(Optional.empty(), Set.of()).partitions();
    }

    @Override
    public FrontierChanges frontierSince(Optional<String> since, Set<PartitionToken> watched) {
        requireOpen();
        return frontierReads.since(since, watched);
    }

    @Override
    public List<PartitionLease> acquire(WorkerId worker, Collection<PartitionClaim> claims, Duration leaseTime) {
        requireOpen();
        Acquisition acquisition = new Acquisition(worker, leaseTime);
        DividedWrite<PartitionClaim, List<PartitionLease>> write =
                new DividedWrite<>(writer, PartitionClaim::token, acquisition::of).run(claims);
        Map<PartitionToken, PartitionLease> acquired = new HashMap<>();
        write.results().forEach(leases -> leases.forEach(lease -> acquired.put(lease.token(), lease)));
        try {
            unconfirmed(acquisition, claims, write.busy()).forEach(lease -> acquired.put(lease.token(), lease));
        } catch (StorageException e) {
            if (acquired.isEmpty()) {
                throw e;
            }
            log.debug(
                    "partitions whose acquisition is unconfirmed become free when their leases expire",
                    LoggedFailure.of(e));
        }
        return claims.stream()
                .map(PartitionClaim::token)
                .distinct()
                .flatMap(token -> Stream.ofNullable(acquired.get(token)))
                .toList();
    }

    /**
     * Returns what was acquired without confirmation, read after the transactions of the call have ended or were rolled
     * back.
     */
    private List<PartitionLease> unconfirmed(
            Acquisition acquisition, Collection<PartitionClaim> claims, Set<PartitionToken> busy) {
        Map<PartitionToken, PartitionClaim> tried = new HashMap<>();
        claims.stream()
                .filter(claim -> busy.contains(claim.token()) && acquisition.hasTried(claim))
                .forEach(claim -> tried.put(claim.token(), claim));
        if (tried.isEmpty()) {
            return List.of();
        }
        return reads.partitions(tried.keySet()).stream()
                .flatMap(row -> acquisition.acquired(requireNonNull(tried.get(row.token())), row).stream())
                .toList();
    }

    @Override
    public boolean markRunning(PartitionLease lease) {
        return write(PartitionWrites.markRunning(lease));
    }

    @Override
    public Set<PartitionToken> renew(Collection<PartitionLease> leases, Duration leaseTime) {
        return lost("renewing leases", leases, PartitionLease::token, part -> PartitionWrites.renew(part, leaseTime));
    }

    @Override
    public boolean addChildren(PartitionLease parent, ChildPartitionsRecord children) {
        return write(PartitionWrites.addChildren(parent, children));
    }

    @Override
    public Set<PartitionToken> advanceWatermarks(Collection<WatermarkAdvance> advances) {
        return lost(
                "advancing watermarks",
                advances,
                advance -> advance.lease().token(),
                PartitionWrites::advanceWatermarks);
    }

    @Override
    public boolean waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
        return write(PartitionWrites.waitForMoveIn(lease, moveIn));
    }

    @Override
    public boolean acceptGap(PartitionLease lease, PartitionGap gap) {
        return write(PartitionWrites.acceptGap(lease, gap));
    }

    @Override
    public boolean finish(PartitionLease lease, Instant watermark, PartitionEnd proof) {
        return write(PartitionWrites.finish(lease, watermark, proof));
    }

    @Override
    public void release(Collection<PartitionLease> leases) {
        lost("releasing partitions", leases, PartitionLease::token, PartitionWrites::release);
    }

    @Override
    public void releaseExpired(Collection<PartitionLease> leases) {
        requireOpen();
        new DividedWrite<>(writer, PartitionLease::token, PartitionWrites::releaseExpired).run(leases);
    }

    @Override
    public void registerWorker(
            WorkerId worker,
            int capacity,
            boolean wholeTransactions,
            Optional<WorkerProgress> progress,
            Duration aliveTime) {
        write(WorkerRows.register(worker, capacity, wholeTransactions, progress, aliveTime));
    }

    @Override
    public void unregisterWorker(WorkerId worker) {
        write(WorkerRows.unregister(worker));
    }

    @Override
    public List<WorkerRegistration> workers() {
        requireOpen();
        return reads.workers();
    }

    @Override
    public int expireWorkers() {
        return write(WorkerRows.expire());
    }

    @Override
    public int cleanUp(Instant finishedBefore) {
        requireOpen();
        return CleanUp.run(writer, reads.lineage(), finishedBefore);
    }

    @Override
    public int forgetProofs(Instant finishedBefore) {
        requireOpen();
        return reads.proofsToForget(finishedBefore)
                .map(forgotten -> writer.write(forgotten.remove()))
                .orElse(0);
    }

    @Override
    public List<FinishedPartition> proofs() {
        requireOpen();
        return reads.proofs();
    }

    @Override
    public CorrectionOutcome correct(Correction correction, CorrectionAct act) {
        return write(CorrectionRows.correct(correction, act));
    }

    @Override
    public List<AuditedCorrection> corrections() {
        requireOpen();
        return reads.corrections();
    }

    @Override
    public void close() {
        closed = true;
    }

    private <T> T write(WriteOperation<T> operation) {
        requireOpen();
        return writer.write(operation);
    }

    private <E> Set<PartitionToken> lost(
            String what,
            Collection<E> batch,
            Function<E, PartitionToken> token,
            Function<List<E>, WriteOperation<Set<PartitionToken>>> operation) {
        requireOpen();
        DividedWrite<E, Set<PartitionToken>> write = new DividedWrite<>(writer, token, operation).run(batch);
        Set<PartitionToken> lost =
                write.results().stream().flatMap(Set::stream).collect(Collectors.toCollection(LinkedHashSet::new));
        write.requireNoneBusy(what, lost);
        return lost;
    }

    private void requireOpen() {
        if (closed) {
            throw new StorageException("the partition storage was closed; open another one", false, null);
        }
    }
}
