package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.LoggedFailure;
import dev.spream.core.record.RecordIdentity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replay and its progress. Confined to one thread.
 *
 * <p>Letters are claimed, flushed and resolved in batches, so that their cost is shared. A claim holds up deliveries, so a
 * batch ends after half a second; its size follows from how many letters the consumer takes in that time.
 */
final class ReplayRun {
    private static final Logger log = LoggerFactory.getLogger(ReplayRun.class);
    private static final int MAX_BATCH = 500;
    private static final long MAX_NANOS = 500_000_000;

    private final DeadLetterReplay replay;
    private final DeadLetterStore store;
    private final Consumer consumer;

    private final Map<RecordIdentity, Throwable> refused = new LinkedHashMap<>();
    private final Set<RecordKey> blocked = new HashSet<>(); // for the whole replay, by refused letters
    private final Set<RecordKey> busy = new HashSet<>(); // in this pass, by letters that could not be claimed
    private final Set<RecordKey> released = new HashSet<>();
    private final List<RecordIdentity> overtaken = new ArrayList<>();
    private int batchSize = MAX_BATCH;
    private int replayed;
    private int left;

    ReplayRun(DeadLetterReplay replay) {
        this.replay = replay;
        this.store = replay.store;
        this.consumer = replay.consumer;
    }

    ReplayResult result() {
        List<ReplayResult.Refusal> refusals = refused.entrySet().stream()
                .map(entry -> new ReplayResult.Refusal(entry.getKey(), entry.getValue()))
                .toList();
        return new ReplayResult(replayed, refusals, overtaken, left, released);
    }

    /** Returns whether letters could not be claimed, or follow such letters. */
    boolean isBusy() {
        return !busy.isEmpty();
    }

    /** Goes through the letters once; returns whether the consumer accepted any. */
    boolean handOver(List<DeadLetterStore.Entry> letters) throws Exception {
        int before = replayed;
        overtaken.clear();
        busy.clear();
        left = 0;
        Deque<DeadLetterStore.Entry> waiting = new ArrayDeque<>(letters);
        while (!waiting.isEmpty()) {
            List<DeadLetterStore.Entry> batch = nextBatch(waiting);
            if (!batch.isEmpty()) {
                handOver(batch, waiting);
            }
        }
        return replayed > before;
    }

    private List<DeadLetterStore.Entry> nextBatch(Deque<DeadLetterStore.Entry> waiting) {
        List<DeadLetterStore.Entry> batch = new ArrayList<>(batchSize);
        while (batch.size() < batchSize && !waiting.isEmpty()) {
            DeadLetterStore.Entry letter = waiting.remove();
            if (letter.overtaken() && !replay.evenIfOvertaken) {
                overtaken.add(letter.identity());
            } else if (isBehind(letter)) {
                leave(letter);
            } else {
                batch.add(letter);
            }
        }
        return batch;
    }

    /** Puts letters back that did not fit into the time of the batch. */
    private void handOver(List<DeadLetterStore.Entry> batch, Deque<DeadLetterStore.Entry> waiting) throws Exception {
        List<DeadLetterStore.Entry> putBack = new ArrayList<>();
        try (DeadLetterStore.Claim claim =
                store.claim(batch.stream().map(DeadLetterStore.Entry::identity).toList(), replay.evenIfOvertaken)) {
            Map<RecordIdentity, StoredDeadLetter> claimed = claim.letters().stream()
                    .collect(Collectors.toMap(letter -> letter.change().identity(), Function.identity()));
            List<DeadLetterStore.Entry> open = new ArrayList<>();
            for (DeadLetterStore.Entry letter : batch.subList(0, claim.considered())) {
                StoredDeadLetter found = claimed.get(letter.identity());
                if (found != null && found.undecodableRow().isPresent()) {
                    refuse(letter, undecodable());
                } else if (found != null) {
                    open.add(letter);
                } else {
                    busy.addAll(letter.keys());
                    leave(letter);
                }
            }
            putBack.addAll(handOver(open, claimed, claim));
            putBack.addAll(batch.subList(claim.considered(), batch.size()));
        }
        putBack.reversed().forEach(waiting::addFirst);
    }

    private static DeadLetterException undecodable() {
        return new DeadLetterException(
                "the row could not be decoded, so the letter cannot be replayed; print the row with 'deadletters show', apply it manually, and discard the letter");
    }

    /** Resolves the letters that the consumer accepts, and returns those that did not fit into the time of the batch. */
    private List<DeadLetterStore.Entry> handOver(
            List<DeadLetterStore.Entry> letters,
            Map<RecordIdentity, StoredDeadLetter> claimed,
            DeadLetterStore.Claim claim)
            throws Exception {
        List<DeadLetterStore.Entry> taken = new ArrayList<>();
        int done;
        try {
            done = consumer instanceof BatchConsumer together && letters.size() > 1
                    ? handOverTogether(letters, claimed, together, taken)
                    : handOverInTurn(letters, claimed, taken);
        } catch (InterruptedException e) {
            resolve(taken, claim);
            throw e;
        }
        resolve(taken, claim);
        batchSize = done < letters.size() ? Math.max(1, done) : Math.min(MAX_BATCH, 2 * batchSize);
        return letters.subList(done, letters.size());
    }

    private int handOverInTurn(
            List<DeadLetterStore.Entry> letters,
            Map<RecordIdentity, StoredDeadLetter> claimed,
            List<DeadLetterStore.Entry> taken)
            throws InterruptedException {
        long startedAt = System.nanoTime();
        int done = 0;
        for (DeadLetterStore.Entry letter : letters) {
            if (done > 0 && System.nanoTime() - startedAt > MAX_NANOS) {
                return done;
            }
            handOver(letter, claimed, taken);
            done++;
        }
        return done;
    }

    private void handOver(
            DeadLetterStore.Entry entry,
            Map<RecordIdentity, StoredDeadLetter> claimed,
            List<DeadLetterStore.Entry> taken)
            throws InterruptedException {
        if (isBehind(entry)) {
            leave(entry);
            return;
        }
        requireUninterrupted();
        StoredDeadLetter letter = requireNonNull(claimed.get(entry.identity()));
        try {
            consumer.consume(letter.change(), ReplayBatch.deliveryOf(letter));
            taken.add(entry);
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable t) {
            requireUninterrupted();
            refuse(entry, t);
        }
    }

    /** A consumer may restore the interrupt of a call; what it threw then is no refusal. */
    private static void requireUninterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("the replay was interrupted");
        }
    }

    private int handOverTogether(
            List<DeadLetterStore.Entry> letters,
            Map<RecordIdentity, StoredDeadLetter> claimed,
            BatchConsumer together,
            List<DeadLetterStore.Entry> taken)
            throws InterruptedException {
        requireUninterrupted();
        ReplayBatch batch = new ReplayBatch(letters.stream()
                .map(letter -> requireNonNull(claimed.get(letter.identity())))
                .toList());
        boolean threw = threw(together, batch);
        for (int i = 0; i < letters.size(); i++) {
            DeadLetterStore.Entry letter = letters.get(i);
            Throwable failure = batch.failure(i);
            if (batch.isSettled(i)) {
                taken.add(letter);
            } else if (isBehind(letter)) {
                leave(letter);
            } else if (failure != null) {
                refuse(letter, failure);
            } else if (threw) {
                handOver(letter, claimed, taken);
            } else {
                taken.add(letter);
            }
        }
        return letters.size();
    }

    /**
     * Returns whether the call threw. An exception does not identify the failed letter, so letters whose changes are not settled
     * are handed over one by one.
     */
    private static boolean threw(BatchConsumer consumer, ReplayBatch batch) throws InterruptedException {
        try {
            consumer.consume(batch);
            return false;
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable t) {
            log.debug(
                    "the consumer failed on a batch of {} letters; they are handed over one by one",
                    batch.size(),
                    LoggedFailure.of(t));
            return true;
        }
    }

    private void resolve(List<DeadLetterStore.Entry> taken, DeadLetterStore.Claim claim) throws Exception {
        Throwable failure = taken.isEmpty() ? null : flushFailure();
        if (failure != null) {
            taken.forEach(letter -> refuse(letter, failure));
        } else if (!taken.isEmpty()) {
            released.addAll(claim.replayed(
                    taken.stream().map(DeadLetterStore.Entry::identity).toList(), true));
            replayed += taken.size();
            taken.forEach(letter -> replay.listener.accept(letter.identity()));
        }
    }

    private @Nullable Throwable flushFailure() throws InterruptedException {
        try {
            consumer.flush();
            return null;
        } catch (InterruptedException e) {
            throw e;
        } catch (Throwable t) {
            return t;
        }
    }

    private boolean isBehind(DeadLetterStore.Entry letter) {
        return !Collections.disjoint(blocked, letter.keys()) || !Collections.disjoint(busy, letter.keys());
    }

    private void leave(DeadLetterStore.Entry letter) {
        (Collections.disjoint(blocked, letter.keys()) ? busy : blocked).addAll(letter.keys());
        left += refused.containsKey(letter.identity()) ? 0 : 1;
    }

    private void refuse(DeadLetterStore.Entry letter, Throwable cause) {
        log.warn(
                "the consumer refused {} again; its letter and later ones of its keys stay open",
                letter.identity(),
                LoggedFailure.of(cause));
        refused.put(letter.identity(), cause);
        blocked.addAll(letter.keys());
    }

    /**
     * Releases the keys that no open letter parks; returns whether all keys that were not blocked are released.
     */
    boolean release(Set<RecordKey> keys, List<DeadLetterStore.Entry> open) throws Exception {
        Set<RecordKey> candidates = new HashSet<>(keys);
        candidates.removeAll(blocked);
        Set<RecordKey> free = new HashSet<>(candidates);
        for (DeadLetterStore.Entry letter : open) {
            if (letter.reason() != DeadLetter.Reason.FAILED) {
                free.removeAll(letter.keys());
            }
        }
        if (free.isEmpty() || store.release(free)) {
            released.addAll(free);
            return free.size() == candidates.size();
        }
        boolean all = free.size() == candidates.size();
        for (RecordKey key : free) { // a letter was added to one of them meanwhile
            boolean isFree = store.release(Set.of(key));
            all &= isFree;
            if (isFree) {
                released.add(key);
            }
        }
        return all;
    }
}
