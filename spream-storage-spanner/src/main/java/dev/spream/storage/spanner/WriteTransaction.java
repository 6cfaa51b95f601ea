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
 * One attempt of a read-write transaction: the rows that its operations look at, as the operations before have left them,
 * and what is to be written in the end. Reads and mutations only, no DML, so both dialects are served alike and no query
 * plan can go wrong. Confined to the thread of the attempt.
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
     * Begins it by a question that no lock can hold up. The first answer names the transaction, and without a name a client that
     * aborts cannot roll it back: the server would keep it for seconds, with locks on whatever it had read.
     */
    void begin() {
        var unused = now();
    }

    /** Spanner's time, the same for the whole attempt. */
    Instant now() {
        Instant known = now;
        if (known == null) {
            known = Timestamps.current(context);
            now = known;
        }
        return known;
    }

    /** That time from now, or the last timestamp there is. */
    Instant in(Duration time) {
        return time.compareTo(Duration.between(now(), PartitionRows.LAST)) < 0 ? now().plus(time) : PartitionRows.LAST;
    }

    /** Reads partitions that were not read yet, all at once. */
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

    /** The partition, if the lease on it is not lost. */
    Optional<PartitionRow> held(PartitionLease lease) {
        return partition(lease.token()).filter(row -> row.isHeldUnder(lease));
    }

    /** Of these, the ones that are neither stored nor were removed. */
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

    /** Returns whether a partition is in one of these states; for an operation that is alone. */
    boolean hasPartition(KeySet states) {
        List<String> columns = List.of(MetadataColumn.PARTITION_TOKEN.columnName);
        try (ResultSet read =
                context.readUsingIndex(tables.partitions(), tables.byState(), states, columns, Options.limit(1))) {
            return read.next();
        }
    }

    /** Returns whether the table of partitions has a row at all. */
    static boolean hasRow(ReadContext context, MetadataTables tables) {
        List<String> columns = List.of(MetadataColumn.PARTITION_TOKEN.columnName);
        try (ResultSet read = context.read(tables.partitions(), KeySet.all(), columns, Options.limit(1))) {
            return read.next();
        }
    }

    /** Adds a mutation of something else than a partition. */
    void write(Mutation mutation) {
        others.add(mutation);
    }

    /** What the operations have left to write. */
    List<Mutation> mutations() {
        List<Mutation> mutations = new ArrayList<>(others);
        rows.values()
                .forEach(row -> row.flatMap(changed -> changed.mutation(tables)).ifPresent(mutations::add));
        return mutations;
    }
}
