package dev.spream.projection;

import java.util.List;
import java.util.Optional;

/**
 * Operator access to projections: queries and manual changes. Running processes notice a change within about a second.
 *
 * <p>A projection's name refers to its live version, and {@code name@n} to version n. An action on a projection during
 * an exchange of versions affects the version that is live at that moment.
 *
 * <p>Safe for use by many threads. Failures are {@link dev.spream.core.StorageException}s. Every change is audited with its
 * author and reason.
 */
public interface ProjectionOperations extends AutoCloseable {
    List<ProjectionState> list();

    /** Returns the details of a projection; empty if there is no such projection. */
    Optional<ProjectionDetails> show(String projection);

    /**
     * Stops a projection in all processes. After this returns, no effect is written until it is resumed.
     *
     * @return false if it is not running, or does not exist; nothing changed then
     */
    boolean pause(String projection, Act act);

    /**
     * Resumes a projection that is paused or has failed.
     *
     * @return false if it is neither, or does not exist; nothing changed then
     */
    boolean resume(String projection, Act act);

    /**
     * Retries parked aggregates at once, with a new count of attempts.
     *
     * @param key the aggregate; empty for all
     * @return the number of these aggregates
     */
    int retry(String projection, Optional<String> key, Act act);

    /**
     * Skips the first event of a parked aggregate, which is stored as a dead letter; its later events are retried.
     *
     * @param version the expected version of the first event, so that no other event is skipped than the one inspected
     * @return false if the aggregate is not parked, or its first event is another; nothing changed then
     * @throws IllegalStateException if an earlier event has not arrived, which would be lost; nothing changed then, see
     *     {@link ParkedAggregate#requireNothingMissing}
     */
    boolean skip(String projection, String key, long version, Act act);

    /**
     * Splits a projection into another number of segments, in all of its versions at once. Waits for the batches that
     * are being applied; after this returns, earlier holders of segments can no longer write until they have claimed
     * new ones. Each new segment begins at the lowest position of the old ones: events that are read again count once.
     * Parked aggregates are not changed.
     *
     * @param projection its name, without a version
     * @param segments a power of 2 up to 256
     * @return false if it has that number; nothing changed then
     * @throws IllegalArgumentException if the number is not valid
     * @throws IllegalStateException if there is no such projection, its source has no positions, or versions are being
     *     exchanged or compared; nothing changed then
     */
    boolean split(String projection, int segments, Act act);

    /** Returns parked aggregates, in the order in which they were parked. */
    List<ParkedAggregate> parked(String projection, int limit);

    /** Returns the operations that build and exchange versions. */
    ProjectionRebuilds rebuilds();

    /**
     * Returns the skipped and malformed events with their contents, the latest first.
     *
     * @param limit the maximum number of results, 1 or more
     * @return empty if there is no such projection
     */
    List<ProjectionDeadLetter> deadLetters(String projection, int limit);

    /**
     * Returns the operator actions on all versions of a projection, the latest first.
     *
     * @param limit the maximum number of results, 1 or more
     * @return empty if there is no such projection
     */
    List<AuditedAction> audit(String projection, int limit);

    /**
     * Checks that a projection can be {@link #split} into that number of segments.
     *
     * @throws IllegalArgumentException if it is no power of 2 up to 256
     */
    static void requireSplit(int segments) {
        ProjectionState.requireNumber(segments);
        if (segments == 0) {
            throw new IllegalArgumentException("segments is 0, must be 1 or more");
        }
    }

    /** The actor and the reason of an operator action: each 1 to 1,000 characters. */
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

    /** Closes the resources. Closing again is harmless. */
    @Override
    void close();
}
