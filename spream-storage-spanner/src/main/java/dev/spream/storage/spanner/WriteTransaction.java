package dev.spream.storage.spanner;

import com.google.cloud.spanner.Key;
import com.google.cloud.spanner.KeySet;
import com.google.cloud.spanner.Mutation;
import com.google.cloud.spanner.Options;
import com.google.cloud.spanner.ReadContext;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.TransactionContext;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.storage.spanner.client.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One attempt of a read-write transaction: the rows that its operations read, in the state that earlier operations have
 * left them in, and the mutations to write at its end. It uses only reads and mutations and no DML, so that both
 * dialects are treated alike and no query plan is involved. Confined to the thread of the attempt.
 */
final class WriteTransaction {
    private final TransactionContext context;
    private final MetadataTables tables;
    private final Map<PartitionToken, Optional<PartitionRow>> rows = new HashMap<>();
    private final Map<PartitionToken, Boolean> removed = new HashMap<>();
    private final List<Mutation> others = new ArrayList<>();
    private @Nullable Instant now;

    WriteTransaction(TransactionContext context, MetadataTables tables) {
        this.context = context;
        this.tables = tables;
    }

    MetadataTables tables() {
        return tables;
    }

    TransactionContext context() {
        return context;
    }

    /**
     * Begins the transaction by a query that no lock can block. The first answer has the id of the transaction; without
     * it, a client that aborts cannot roll it back, and the server would keep it for seconds, with locks on the rows
     * that it had read.
     */
    void begin() {
        var unused = now();
    }

    /** Returns Spanner's time, the same for the whole attempt. */
    Instant now() {
        Instant known = now;
        if (known == null) {
            known = Timestamps.current(context);
            now = known;
        }
        return known;
    }

    /** Returns the time after that duration, or the last possible timestamp. */
    Instant in(Duration time) {
        return time.compareTo(Duration.between(now(), PartitionRows.LAST)) < 0 ? now().plus(time) : PartitionRows.LAST;
    }

    /** Reads partitions that were not read yet, in one request. */
    void load(Collection<PartitionToken> tokens) {
        Set<PartitionToken> unknown = new HashSet<>(tokens);
        unknown.removeAll(rows.keySet());
        if (unknown.isEmpty()) {
            return;
        }
        unknown.forEach(token -> rows.put(token, Optional.empty()));
        for (Struct read : MetadataReads.all(context.read(tables.partitions(), keys(unknown), MetadataColumn.NAMES))) {
            PartitionRow row = PartitionRow.stored(read);
            rows.put(row.token(), Optional.of(row));
        }
    }

    Optional<PartitionRow> partition(PartitionToken token) {
        load(Set.of(token));
        return rows.getOrDefault(token, Optional.empty());
    }

    /** Returns the partition, if its lease is not lost. */
    Optional<PartitionRow> held(PartitionLease lease) {
        return partition(lease.token()).filter(row -> row.isHeldUnder(lease));
    }

    /** Returns the tokens that are neither stored nor removed. */
    Set<PartitionToken> unknown(Collection<PartitionToken> tokens) {
        load(tokens);
        Set<PartitionToken> absent = new HashSet<>(tokens);
        absent.removeIf(token -> partition(token).isPresent());
        loadProofs(absent);
        absent.removeIf(token -> removed.getOrDefault(token, false));
        return absent;
    }

    private void loadProofs(Collection<PartitionToken> tokens) {
        Set<PartitionToken> unknown = new HashSet<>(tokens);
        unknown.removeAll(removed.keySet());
        if (unknown.isEmpty()) {
            return;
        }
        unknown.forEach(token -> removed.put(token, false));
        List<String> columns = List.of(MetadataColumn.PARTITION_TOKEN.columnName);
        for (Struct proof : MetadataReads.all(context.read(tables.proofs(), keys(unknown), columns))) {
            removed.put(new PartitionToken(proof.getString(0)), true);
        }
    }

    static KeySet keys(Collection<PartitionToken> tokens) {
        KeySet.Builder keys = KeySet.newBuilder();
        tokens.forEach(token -> keys.addKey(Key.of(token.value())));
        return keys.build();
    }

    void insert(PartitionRow row) {
        rows.put(row.token(), Optional.of(row));
    }

    /** Returns whether a partition is in one of these states; for an operation that is executed alone. */
    boolean hasPartition(KeySet states) {
        List<String> columns = List.of(MetadataColumn.PARTITION_TOKEN.columnName);
        try (ResultSet read =
                context.readUsingIndex(tables.partitions(), tables.byChange(), states, columns, Options.limit(1))) {
            return read.next();
        }
    }

    /** Returns whether the table of partitions has a row. */
    static boolean hasRow(ReadContext context, MetadataTables tables) {
        List<String> columns = List.of(MetadataColumn.PARTITION_TOKEN.columnName);
        try (ResultSet read = context.read(tables.partitions(), KeySet.all(), columns, Options.limit(1))) {
            return read.next();
        }
    }

    /** Adds a mutation of a row that is not a partition. */
    void write(Mutation mutation) {
        others.add(mutation);
    }

    /** Returns the mutations of all operations. */
    List<Mutation> mutations() {
        List<Mutation> mutations = new ArrayList<>(others);
        rows.values()
                .forEach(row -> row.flatMap(changed -> changed.mutation(tables)).ifPresent(mutations::add));
        return mutations;
    }
}
