package dev.spream.storage.spanner;

import dev.spream.core.StorageException;
import dev.spream.core.partition.MoveIn;
import dev.spream.core.partition.PartitionEnd;
import dev.spream.core.partition.PartitionGap;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.WatermarkAdvance;
import dev.spream.core.record.ChildPartition;
import dev.spream.core.record.ChildPartitionsRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The writes of partitions that the port specifies, as operations on rows in a transaction. */
final class PartitionWrites {
    /** The longest token, less the other columns of a key: Spanner limits a key to 8 KiB. */
    private static final int MAX_TOKEN_BYTES = 8_000;

    private PartitionWrites() {}

    static WriteOperation<Boolean> markRunning(PartitionLease lease) {
        return WriteOperation.on("starting " + one(lease), Set.of(lease.token()), transaction -> {
            var row = transaction.held(lease).filter(held -> !held.isFinished());
            row.ifPresent(PartitionRow::startToRun);
            return row.isPresent();
        });
    }

    static WriteOperation<Set<PartitionToken>> renew(List<PartitionLease> leases, Duration leaseTime) {
        Set<PartitionToken> tokens = tokens(leases);
        return WriteOperation.each("renewing the leases of " + count(tokens), tokens, transaction -> {
            Set<PartitionToken> lost = new LinkedHashSet<>();
            for (PartitionLease lease : leases) {
                transaction
                        .held(lease)
                        .filter(row -> !row.isFinished())
                        .ifPresentOrElse(
                                row -> row.extendLease(transaction.in(leaseTime)), () -> lost.add(lease.token()));
            }
            return lost;
        });
    }

    static WriteOperation<Boolean> addChildren(PartitionLease parent, ChildPartitionsRecord children) {
        Set<PartitionToken> tokens = new HashSet<>(Set.of(parent.token()));
        children.childPartitions().forEach(child -> tokens.add(storable(child.token())));
        return WriteOperation.on("adding the children of " + one(parent), tokens, transaction -> {
            var running = transaction.held(parent).filter(PartitionRow::isRunning);
            running.ifPresent(row -> addChildren(transaction, row, children));
            return running.isPresent();
        });
    }

    /** Returns the token, if it is not too long for a key of Spanner and of the index by state. */
    private static PartitionToken storable(String token) {
        int bytes = token.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_TOKEN_BYTES) {
            throw new StorageException(
                    "a partition token has %d bytes, and Spanner keeps keys of 8 KiB at most; nothing was stored. Keep the subscription in PostgreSQL (storage=jdbc), which takes tokens of any length"
                            .formatted(bytes),
                    false,
                    null);
        }
        return new PartitionToken(token);
    }

    private static void addChildren(WriteTransaction transaction, PartitionRow parent, ChildPartitionsRecord children) {
        Set<PartitionToken> absent = transaction.unknown(children.childPartitions().stream()
                .map(child -> new PartitionToken(child.token()))
                .toList());
        for (ChildPartition child : children.childPartitions()) {
            PartitionToken token = new PartitionToken(child.token());
            if (absent.remove(token)) {
                List<PartitionToken> parents =
                        child.parentTokens().stream().map(PartitionToken::new).toList();
                transaction.insert(parent.child(token, parents, children.startTimestamp()));
            }
        }
    }

    static WriteOperation<Set<PartitionToken>> advanceWatermarks(List<WatermarkAdvance> advances) {
        Set<PartitionToken> tokens =
                tokens(advances.stream().map(WatermarkAdvance::lease).toList());
        return WriteOperation.each("advancing the watermarks of " + count(tokens), tokens, transaction -> {
            Set<PartitionToken> lost = new LinkedHashSet<>();
            for (WatermarkAdvance advance : advances) {
                transaction
                        .held(advance.lease())
                        .filter(PartitionRow::isRunning)
                        .ifPresentOrElse(
                                row -> row.advance(advance.watermark(), advance.moveOuts()),
                                () -> lost.add(advance.lease().token()));
            }
            return lost;
        });
    }

    static WriteOperation<Boolean> waitForMoveIn(PartitionLease lease, MoveIn moveIn) {
        return WriteOperation.on("storing a move-in of " + one(lease), Set.of(lease.token()), transaction -> {
            var running = transaction.held(lease).filter(PartitionRow::isRunning);
            running.ifPresent(row -> row.waitFor(moveIn));
            return running.isPresent();
        });
    }

    static WriteOperation<Boolean> acceptGap(PartitionLease lease, PartitionGap gap) {
        return WriteOperation.on("accepting a gap of " + one(lease), Set.of(lease.token()), transaction -> {
            var running = transaction.held(lease).filter(PartitionRow::isRunning);
            running.ifPresent(row -> row.accept(gap));
            return running.isPresent();
        });
    }

    static WriteOperation<Boolean> finish(PartitionLease lease, Instant watermark, PartitionEnd proof) {
        Set<PartitionToken> children = storedChildren(proof);
        Set<PartitionToken> tokens = new HashSet<>(children);
        tokens.add(lease.token());
        return WriteOperation.on("finishing " + one(lease), tokens, transaction -> {
            var held = transaction.held(lease);
            held.filter(row -> !row.isFinished()).ifPresent(row -> {
                requireStored(transaction, lease, children);
                row.finish(watermark, proof);
            });
            return held.isPresent();
        });
    }

    /** Returns the children that must be stored; those of a partition end record may be discovered later. */
    private static Set<PartitionToken> storedChildren(PartitionEnd proof) {
        return proof.kind() == PartitionEnd.Kind.PARTITION_END ? Set.of() : new HashSet<>(proof.children());
    }

    private static void requireStored(
            WriteTransaction transaction, PartitionLease lease, Set<PartitionToken> children) {
        transaction.unknown(children).stream().findFirst().ifPresent(child -> {
            throw new IllegalArgumentException(
                    "partition %s cannot finish because its child %s is not stored; nothing was changed"
                            .formatted(lease.token().abbreviated(), child.abbreviated()));
        });
    }

    static WriteOperation<Set<PartitionToken>> release(List<PartitionLease> leases) {
        Set<PartitionToken> tokens = tokens(leases);
        return WriteOperation.each("releasing " + count(tokens), tokens, transaction -> {
            for (PartitionLease lease : leases) {
                transaction.held(lease).filter(row -> !row.isFinished()).ifPresent(PartitionRow::release);
            }
            return Set.of();
        });
    }

    static WriteOperation<Set<PartitionToken>> releaseExpired(List<PartitionLease> leases) {
        Set<PartitionToken> tokens = tokens(leases);
        return WriteOperation.each("releasing " + count(tokens) + " with expired leases", tokens, transaction -> {
            for (PartitionLease lease : leases) {
                transaction
                        .held(lease)
                        .filter(row -> row.isFree(transaction.now()))
                        .ifPresent(PartitionRow::release);
            }
            return Set.of();
        });
    }

    private static Set<PartitionToken> tokens(Collection<PartitionLease> leases) {
        return leases.stream().map(PartitionLease::token).collect(Collectors.toSet());
    }

    static String count(Set<PartitionToken> tokens) {
        return tokens.size() == 1 ? "1 partition" : tokens.size() + " partitions";
    }

    private static String one(PartitionLease lease) {
        return "partition " + lease.token().abbreviated();
    }
}
