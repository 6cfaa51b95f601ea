package dev.spream.core.consume;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A {@link DeadLetterSink} whose letters can be handed back and whose keys can be released, while a subscription uses it as
 * well. {@link DeadLetterReplay} does both in the right order. Safe for use by many threads.
 *
 * <p>A letter is <em>open</em> until it was replayed or discarded. A change that is accepted again while its letter is open
 * is kept once; one that is accepted after its letter was settled is open again, because then what follows it comes again
 * too.
 *
 * <p>A letter that {@linkplain DeadLetter.Reason#FAILED failed} is <em>overtaken</em> by a later change of one of its keys
 * that was delivered: to apply it then would undo that change. The store knows, since it is told of each delivery. A change
 * whose own letter is open overtakes nothing.
 *
 * <p>Every method that changes something is durable when it returns, and whatever it throws leaves the store as it was or
 * as it was to become; everything may be repeated.
 */
public interface DeadLetterStore extends DeadLetterSink {

    /** The open letters, in commit order. */
    List<Entry> openLetters() throws Exception;

    /**
     * An open letter, without what it holds.
     *
     * @param keys the keys of the change
     * @param overtaken whether a later change of one of the keys was delivered
     */
    record Entry(RecordIdentity identity, DeadLetter.Reason reason, Set<RecordKey> keys, boolean overtaken) {
        public Entry {
            keys = Set.copyOf(keys);
        }
    }

    /** Those of the letters that are open, with what they hold, in commit order. To look at; {@link #claim} is to replay. */
    List<StoredLetter> read(Collection<RecordIdentity> identities) throws Exception;

    /**
     * Says that a change is about to be delivered, before its first attempt. Letters that it overtakes are recorded as
     * such; while a letter of one of its keys is {@linkplain #claim claimed}, this waits.
     */
    void delivering(DataChangeRecord change) throws Exception;

    /**
     * Claims an open letter in order to replay it. Until the claim is closed nobody else can claim it, and no change of
     * its keys is delivered. An earlier letter with one of its keys goes first, unless it was overtaken.
     *
     * @param evenIfOvertaken whether to claim a letter that was overtaken, too
     * @return empty if the letter is not open, claimed already, overtaken, or has one before it
     */
    Optional<Claim> claim(RecordIdentity identity, boolean evenIfOvertaken) throws Exception;

    /** A letter that is being replayed. Confined to one thread, which closes it. */
    interface Claim extends AutoCloseable {
        StoredLetter letter();

        /**
         * The consumer has taken the change: the letter is settled, and earlier ones of its keys are overtaken. A letter
         * that was accepted again since it was claimed stays open, because what it follows may have come again as well.
         */
        void replayed() throws Exception;

        /** Ends the claim. A letter that was not replayed stays open. Closing again is harmless. */
        @Override
        void close();
    }

    /**
     * Settles an open letter without replaying it: its change is lost to the consumer.
     *
     * @return false if the letter is not open, or claimed
     */
    boolean discard(RecordIdentity identity) throws Exception;

    /**
     * Releases the keys, all or none: changes that come from now on are delivered. Keys that are not parked stay so.
     *
     * @return false if one of the keys still has an open letter that parks it; nothing was changed then
     */
    boolean release(Set<RecordKey> keys) throws Exception;
}
