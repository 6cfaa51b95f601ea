package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.record.RecordIdentity;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The replay of dead letters: hands the open letters of a store to a consumer again in commit order, and releases
 * keys without open letters. A consumer gets one letter at a time, a {@link BatchConsumer} up to 500. A letter counts
 * as replayed when the consumer has accepted its change and flushed. This is stored for up to 500 letters, or half a
 * second, at once: after a crash those of the last batch are replayed again, each key's in order. A letter on which
 * the consumer fails stays open, as do later letters of its keys; the other keys are replayed.
 *
 * <p>A letter that was overtaken is not handed over, unless {@link #evenIfOvertaken} says so: a later change of its
 * key was delivered, and a consumer that writes the values of a change would undo it.
 *
 * <p>A subscription may run on the store meanwhile: the changes of a parked key are stored after the letters of the
 * key until it is released, and the deliveries of any other key wait while a letter of it is replayed. {@link
 * Consumer#flush} is then called concurrently with the subscription; give the replay a consumer of its own where that
 * matters.
 *
 * <p>Replay when the subscription has caught up with its earlier deliveries: after a restart or a take-over changes
 * are delivered again from the watermark on, and a letter may be replayed in the middle of them. Its change is then
 * delivered again as well, after those before it, so that each key still ends in order.
 *
 * <p>Immutable; each call is one replay.
 */
public final class DeadLetterReplay {
    /** Attempts at letters that are claimed elsewhere, such as by a delivery for a moment. */
    private static final int BUSY_PASSES = 3;

    final DeadLetterStore store;
    final Consumer consumer;
    final boolean evenIfOvertaken;
    final java.util.function.Consumer<RecordIdentity> listener;

    private DeadLetterReplay(
            DeadLetterStore store,
            Consumer consumer,
            boolean evenIfOvertaken,
            java.util.function.Consumer<RecordIdentity> listener) {
        this.store = store;
        this.consumer = consumer;
        this.evenIfOvertaken = evenIfOvertaken;
        this.listener = listener;
    }

    public static DeadLetterReplay of(DeadLetterStore store, Consumer consumer) {
        return new DeadLetterReplay(
                requireNonNull(store, "store"), requireNonNull(consumer, "consumer"), false, identity -> {});
    }

    /** Returns a replay that includes letters that were overtaken, for consumers that ignore old changes, or merge. */
    public DeadLetterReplay evenIfOvertaken() {
        return new DeadLetterReplay(store, consumer, true, listener);
    }

    /** Calls the listener for each replayed letter, on the calling thread; replaces an earlier listener. */
    public DeadLetterReplay onReplayed(java.util.function.Consumer<RecordIdentity> listener) {
        return new DeadLetterReplay(store, consumer, evenIfOvertaken, requireNonNull(listener, "listener"));
    }

    /**
     * Replays all open letters and releases all keys without open letters.
     *
     * @throws DeadLetterException if the store fails; letters replayed before stay resolved
     */
    public ReplayResult all() throws InterruptedException {
        return replay(letter -> true, key -> true);
    }

    /**
     * Replays the letters of a key and of all keys that changes of several keys connect with it, and releases those of
     * these keys that have no open letters left.
     *
     * @throws DeadLetterException as {@link #all} does
     */
    public ReplayResult key(RecordKey key) throws InterruptedException {
        Set<RecordKey> tied = stored(() -> tiedTo(key));
        return replay(letter -> !Collections.disjoint(tied, letter.keys()), tied::contains);
    }

    /**
     * Replays one letter, if it is the first of its keys, and releases those of its keys without open letters.
     *
     * @throws DeadLetterException as {@link #all} does
     */
    public ReplayResult letter(RecordIdentity identity) throws InterruptedException {
        return letters(Set.of(identity));
    }

    /**
     * Replays letters in commit order, each if no other letter of its keys is open before it, and releases those of
     * their keys without open letters.
     *
     * @throws DeadLetterException as {@link #all} does
     */
    public ReplayResult letters(Set<RecordIdentity> identities) throws InterruptedException {
        Set<RecordIdentity> chosen = Set.copyOf(identities);
        Set<RecordKey> keys = stored(() -> keysOf(chosen));
        return replay(letter -> chosen.contains(letter.identity()), keys::contains);
    }

    /** Repeats while letters are added to keys that could otherwise be released. */
    private ReplayResult replay(Predicate<DeadLetterStore.Entry> letters, Predicate<RecordKey> keys)
            throws InterruptedException {
        ReplayRun run = new ReplayRun(this);
        return stored(() -> {
            List<DeadLetterStore.Entry> open = store.openLetters();
            boolean more = true;
            int busyPasses = 0;
            while (more) {
                boolean any = run.handOver(open.stream().filter(letters).toList());
                open = store.openLetters();
                boolean allFree =
                        run.release(store.parkedKeys().stream().filter(keys).collect(Collectors.toSet()), open);
                more = (any && !allFree) || (run.isBusy() && busyPasses++ < BUSY_PASSES);
            }
            return run.result();
        });
    }

    /** Returns the key, and the keys connected with it by changes of several keys. */
    private Set<RecordKey> tiedTo(RecordKey key) throws Exception {
        List<DeadLetterStore.Entry> letters = store.openLetters();
        Set<RecordKey> tied = new HashSet<>(Set.of(key));
        boolean grew = true;
        while (grew) {
            grew = false;
            for (DeadLetterStore.Entry letter : letters) {
                grew |= !Collections.disjoint(tied, letter.keys()) && tied.addAll(letter.keys());
            }
        }
        return tied;
    }

    private Set<RecordKey> keysOf(Set<RecordIdentity> identities) throws Exception {
        return store.read(identities).stream()
                .flatMap(letter -> RecordKey.of(letter.change()).stream())
                .collect(Collectors.toSet());
    }

    private static <T> T stored(Callable<T> work) throws InterruptedException {
        try {
            return work.call();
        } catch (InterruptedException | DeadLetterException e) {
            throw e;
        } catch (Exception e) {
            throw new DeadLetterException(
                    "the replay stopped because the dead letter store failed; letters replayed before are resolved, the others are open: replay again",
                    e);
        }
    }
}
