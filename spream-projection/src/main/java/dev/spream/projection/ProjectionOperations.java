package dev.spream.projection;

import java.util.List;
import java.util.Optional;

/**
 * Operator access to projections: queries and manual changes. Running processes notice a change within about a second.
 *
 * <p>A projection is its live version here, and {@code name@n} is version n of it. What is done to a projection while its
 * versions are exchanged is done to the one that is live when it is done.
 *
 * <p>Safe for use by many threads. Failures are {@link dev.spream.core.StorageException}s. Every change is audited with its
 * author and reason.
 */
public interface ProjectionOperations extends AutoCloseable {
    List<ProjectionState> list();

    /** Empty if there is no such projection. */
    Optional<ProjectionDetails> show(String projection);

    /**
     * Stops a projection everywhere. When this returns, no effect is written any more until it is resumed.
     *
     * @return false if it is not running, or not there; nothing changed then
     */
    boolean pause(String projection, Act act);

    /**
     * Resumes a projection that is paused or has failed.
     *
     * @return false if it is neither, or not there; nothing changed then
     */
    boolean resume(String projection, Act act);

    /**
     * Has parked aggregates tried again at once, with all attempts.
     *
     * @param key one of them; empty for all
     * @return how many there are
     */
    int retry(String projection, Optional<String> key, Act act);

    /**
     * Passes over the first event of a parked aggregate, which is kept among the dead letters; what follows it is tried again.
     *
     * @param version that the first event must have, so that no other event is skipped than the one inspected
     * @return false if the aggregate is not parked, or its first event is another; nothing changed then
     * @throws IllegalStateException if an event before it has not come, which would be lost; nothing changed then, see {@link
     *     ParkedAggregate#requireNothingMissing}
     */
    boolean skip(String projection, String key, long version, Act act);

    /**
     * Splits a projection into another number of segments, all of its versions at once. Waits for the batches that are being
     * applied; when this returns, earlier holders of segments write nothing until they have claimed new ones. The new segments
     * begin where the furthest behind of the old ones was: what is read again counts once, as ever. Parked aggregates stay as
     * they are.
     *
     * @param projection by its name, without a version
     * @param segments a power of 2 up to 256
     * @return false if it has that number; nothing changed then
     * @throws IllegalArgumentException if it is no such number
     * @throws IllegalStateException if there is no such projection, its source has no positions, or versions are being exchanged
     *     or compared; nothing changed then
     */
    boolean split(String projection, int segments, Act act);

    /** Parked aggregates, those that were parked first. */
    List<ParkedAggregate> parked(String projection, int limit);

    /** To build versions, and to exchange them. */
    ProjectionRebuilds rebuilds();

    /**
     * Returns the skipped and malformed events with their contents, the latest first.
     *
     * @param limit how many at most, 1 or more
     * @return empty if there is no such projection
     */
    List<ProjectionDeadLetter> deadLetters(String projection, int limit);

    /**
     * Returns the operator actions on all versions of a projection, the latest first.
     *
     * @param limit how many at most, 1 or more
     * @return empty if there is no such projection
     */
    List<AuditedAction> audit(String projection, int limit);

    /**
     * Checks that a projection can be {@link #split} into so many segments.
     *
     * @throws IllegalArgumentException if it is no power of 2 up to 256
     */
    static void requireSplit(int segments) {
        ProjectionState.requireNumber(segments);
        if (segments == 0) {
            throw new IllegalArgumentException("0 segments: must be 1 or more");
        }
    }

    /** The actor and the reason of a change by hand: each 1 to 1,000 characters. */
    record Act(String actor, String reason) {
        private static final int MAX_LENGTH = 1_000;

        public Act {
            check("actor", actor);
            check("reason", reason);
        }

        private static void check(String what, String value) {
            if (value.isBlank() || value.length() > MAX_LENGTH) {
                throw new IllegalArgumentException(
                        "%s has %d characters, must have 1 to %d".formatted(what, value.length(), MAX_LENGTH));
            }
        }
    }

    /** Closing again is harmless. */
    @Override
    void close();
}
