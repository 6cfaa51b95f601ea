package dev.spream.core.consume;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A {@link DeadLetterSink} that also lists its letters, replays or discards them, and releases parked keys, while a
 * subscription adds letters. {@link DeadLetterReplay} calls these methods in the right order. Safe for use by many
 * threads.
 *
 * <p>A letter is <em>open</em> from {@link #accept} until it is <em>resolved</em>: replayed or discarded. A change that is
 * accepted again while its letter is open has no second letter. If it is accepted after its letter was resolved, the
 * letter is open again: the subscription then also delivers later changes again, and the order of the key is kept.
 *
 * <p>A letter with the reason {@link DeadLetter.Reason#FAILED} is <em>overtaken</em> when a later change of one of its
 * keys is delivered: its replay would then undo the later change. The subscription reports each delivery by {@link
 * #delivering}. A change whose own letter is open overtakes nothing.
 *
 * <p>Every method that changes something is durable when it returns; after an exception it has taken effect
 * completely or not at all. All may be repeated.
 */
public interface DeadLetterStore extends DeadLetterSink {

    /** Returns the open letters, in commit order. Their number has no limit. */
    List<Entry> openLetters() throws Exception;

    /**
     * Returns the open letters that committed last, the latest first. Its cost must not grow with the number of the
     * others.
     *
     * @param limit the maximum number of letters, 1 or more
     * @throws IllegalArgumentException if the limit is less
     */
    default List<Entry> newestLetters(int limit) throws Exception {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is %d, must be 1 or more".formatted(limit));
        }
        List<Entry> open = openLetters();
        return open.subList(Math.max(0, open.size() - limit), open.size()).reversed();
    }

    /** Returns the numbers of open letters and of parked keys. A store counts them where they are. */
    default Counts counts() throws Exception {
        return Counts.of(openLetters(), parkedKeys().size());
    }

    /**
     * Numbers of open letters by reason, and of parked keys.
     *
     * @param failed the letters with the reason {@link DeadLetter.Reason#FAILED}
     * @param overtaken those of the failed ones that were overtaken
     * @param parked the letters with the reason {@link DeadLetter.Reason#PARKED}
     * @param behindParked the letters with the reason {@link DeadLetter.Reason#BEHIND_PARKED}
     * @param parkedKeys the keys that are parked, with or without open letters
     */
    record Counts(long failed, long overtaken, long parked, long behindParked, long parkedKeys) {
        /** Returns the number of all open letters. */
        public long letters() {
            return failed + parked + behindParked;
        }

        static Counts of(Collection<Entry> letters, long parkedKeys) {
            return new Counts(
                    count(letters, DeadLetter.Reason.FAILED),
                    letters.stream().filter(Entry::overtaken).count(),
                    count(letters, DeadLetter.Reason.PARKED),
                    count(letters, DeadLetter.Reason.BEHIND_PARKED),
                    parkedKeys);
        }

        private static long count(Collection<Entry> letters, DeadLetter.Reason reason) {
            return letters.stream().filter(letter -> letter.reason() == reason).count();
        }
    }

    /**
     * An open letter, without its content.
     *
     * @param keys the keys of the change
     * @param overtaken whether a later change of one of the keys was delivered
     */
    record Entry(RecordIdentity identity, DeadLetter.Reason reason, Set<RecordKey> keys, boolean overtaken) {
        public Entry {
            keys = Set.copyOf(keys);
        }
    }

    /**
     * Returns those of these letters that are open, with their content, in commit order. For inspection; use {@link
     * #claim} to replay.
     */
    List<StoredDeadLetter> read(Collection<RecordIdentity> identities) throws Exception;

    /**
     * Records that a change is about to be delivered, before its first attempt, and that earlier letters of its keys
     * are overtaken by it. Waits while a letter of one of its keys is {@linkplain #claim claimed}.
     */
    void delivering(DataChangeRecord change) throws Exception;

    /**
     * Claims open letters in order to replay them. Until the claim is closed they cannot be claimed again, and no
     * change of their keys is delivered. A letter is claimed if it is open, none of its keys is claimed already, it
     * was not overtaken, and every earlier letter with one of its keys is claimed here too, unless that one was
     * overtaken.
     *
     * @param identities in commit order. Letters that would make the claim larger than this store's limit of memory
     *     are not considered; the first one always is
     * @param evenIfOvertaken whether to claim letters that were overtaken, too
     */
    Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) throws Exception;

    /**
     * Claims one letter.
     *
     * @return empty if the letter is not open, claimed already, overtaken, or has one before it
     */
    default Optional<Claim> claim(RecordIdentity identity, boolean evenIfOvertaken) throws Exception {
        Claim claim = claim(List.of(identity), evenIfOvertaken);
        if (claim.letters().isEmpty()) {
            claim.close();
            return Optional.empty();
        }
        return Optional.of(claim);
    }

    /** Letters that are being replayed. Confined to one thread, which closes it. */
    interface Claim extends AutoCloseable {
        /** Returns the letters that were claimed, in commit order; perhaps none. */
        List<StoredDeadLetter> letters();

        /** Returns the number of requested letters, from the first on, that were considered. */
        int considered();

        /** Returns the only letter of a claim. */
        default StoredDeadLetter letter() {
            return letters().getFirst();
        }

        /**
         * Records that the consumer has accepted the changes of these letters: in one step they are resolved, and
         * earlier ones of their keys are overtaken. A letter that was accepted again since it was claimed stays open,
         * because earlier changes may have been delivered again as well. Called once; letters that are not named stay
         * open.
         *
         * @param releasing whether to release in the same step those keys of the letters that no open letter parks
         *     then: a separate step could be delayed endlessly by letters that are added to the key
         * @return the keys that were released
         */
        Set<RecordKey> replayed(Collection<RecordIdentity> taken, boolean releasing) throws Exception;

        /** Records that the consumer has accepted the changes of all letters of the claim. Their keys stay parked. */
        default void replayed() throws Exception {
            replayed(
                    letters().stream().map(letter -> letter.change().identity()).toList(), false);
        }

        /** Ends the claim. Letters that were not replayed stay open. Closing again is harmless. */
        @Override
        void close();
    }

    /**
     * Resolves an open letter without replaying it: the consumer never gets its change.
     *
     * @return false if the letter is not open, or claimed
     */
    boolean discard(RecordIdentity identity) throws Exception;

    /**
     * Releases all of the keys, or none: changes that arrive from now on are delivered. Keys that are not parked are
     * not changed.
     *
     * @return false if one of the keys still has an open letter that parks it; nothing was changed then
     */
    boolean release(Set<RecordKey> keys) throws Exception;
}
