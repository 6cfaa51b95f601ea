package dev.spream.testkit.memory;

import dev.spream.core.StorageException;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.testkit.memory.InMemoryOutbox.Transaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The ledger of an {@link InMemoryOutbox}: all generations of each request, in order. Guarded by its memory; a wait for
 * an open transaction releases the memory.
 */
final class LedgerTable {
    private final Condition writerGone;
    private final Map<String, List<LedgerEntry>> committed = new LinkedHashMap<>();
    private final Map<String, Transaction> writers = new HashMap<>();

    LedgerTable(Condition writerGone) {
        this.writerGone = writerGone;
    }

    /**
     * Returns the generations of a request, for the transaction to change; waits for other transactions that have
     * written them.
     */
    List<LedgerEntry> forWriting(Transaction transaction, String key) {
        transaction.waitsFor = key;
        try {
            awaitWhile(() -> isWrittenByAnother(transaction, key));
        } finally {
            transaction.waitsFor = null;
        }
        writers.put(key, transaction);
        return transaction.ledger.computeIfAbsent(key, first -> new ArrayList<>(generations(key)));
    }

    private boolean isWrittenByAnother(Transaction transaction, String key) {
        boolean written = writers.getOrDefault(key, transaction) != transaction;
        if (written) {
            requireNoCircle(transaction, key);
        }
        return written;
    }

    private void requireNoCircle(Transaction transaction, String key) {
        String next = key;
        while (next != null) {
            Transaction writer = writers.get(next);
            if (writer == transaction) {
                throw new StorageException("deadlock: two transactions wait for each other's keys", true, null);
            }
            next = writer == null ? null : writer.waitsFor;
        }
    }

    /** Waits until no open transaction has written those keys. */
    void awaitNoWriter(Supplier<? extends Collection<String>> keys) {
        awaitWhile(() -> keys.get().stream().anyMatch(writers::containsKey));
    }

    private void awaitWhile(BooleanSupplier blocked) {
        try {
            while (blocked.getAsBoolean()) {
                writerGone.await();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StorageException("interrupted while waiting for another writer of the key", true, e);
        }
    }

    void commit(Transaction transaction) {
        committed.putAll(transaction.ledger);
        rollback(transaction);
    }

    void rollback(Transaction transaction) {
        transaction.ledger.clear();
        writers.values().removeIf(writer -> writer == transaction);
        writerGone.signalAll();
    }

    Optional<LedgerEntry> last(String key) {
        return last(generations(key));
    }

    static Optional<LedgerEntry> last(List<LedgerEntry> generations) {
        return generations.isEmpty() ? Optional.empty() : Optional.of(generations.getLast());
    }

    Optional<LedgerEntry> find(String key, int generation) {
        return generations(key).stream()
                .filter(entry -> entry.generation() == generation)
                .findFirst();
    }

    List<LedgerEntry> generations(String key) {
        return committed.getOrDefault(key, List.of());
    }

    /** Settles a request that is in progress, outside any transaction. */
    boolean settle(String key, int generation, String digest, LedgerResult result, Instant now) {
        return settle(generations(key), generation, digest, result, now);
    }

    static boolean settle(
            List<LedgerEntry> generations, int generation, String digest, LedgerResult result, Instant now) {
        Optional<LedgerEntry> open = last(generations)
                .filter(entry -> entry.generation() == generation
                        && entry.requestDigest().equals(digest))
                .filter(entry -> !entry.status().isSettled());
        open.ifPresent(entry -> {
            generations.removeLast();
            generations.add(new LedgerEntry(
                    entry.idempotencyKey(),
                    generation,
                    digest,
                    Optional.of(result),
                    entry.createdAt(),
                    Optional.of(now)));
        });
        return open.isPresent();
    }

    /** Reopens a failed request, outside any transaction. */
    Optional<Integer> reopen(String key, Instant now) {
        return reopen(generations(key), now);
    }

    static Optional<Integer> reopen(List<LedgerEntry> generations, Instant now) {
        Optional<LedgerEntry> next = last(generations)
                .filter(entry -> entry.status() == LedgerStatus.FAILED)
                .map(entry -> begun(entry.idempotencyKey(), entry.generation() + 1, entry.requestDigest(), now));
        next.ifPresent(generations::add);
        return next.map(LedgerEntry::generation);
    }

    static LedgerEntry begun(String key, int generation, String digest, Instant now) {
        return new LedgerEntry(key, generation, digest, Optional.empty(), now, Optional.empty());
    }

    /** Returns the requests that were settled at that time or before, and that no open transaction has written. */
    List<String> settledUntil(Instant end) {
        return committed.entrySet().stream()
                .filter(entry -> !writers.containsKey(entry.getKey()))
                .filter(entry -> last(entry.getValue())
                        .flatMap(LedgerEntry::settledAt)
                        .filter(at -> !at.isAfter(end))
                        .isPresent())
                .map(Map.Entry::getKey)
                .toList();
    }

    void forget(String key) {
        committed.remove(key);
    }

    /** Replaces the digest of the last generation of a request. */
    void changeDigest(String key, String digest) {
        List<LedgerEntry> generations = generations(key);
        LedgerEntry last = generations.removeLast();
        generations.add(
                new LedgerEntry(key, last.generation(), digest, last.result(), last.createdAt(), last.settledAt()));
    }
}
