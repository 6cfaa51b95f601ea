package dev.spream.core.consume;

import static java.util.Objects.requireNonNull;

import dev.spream.core.LoggedFailure;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import java.time.Instant;
import java.util.Optional;

/**
 * A {@link DeadLetter} as read from a {@link DeadLetterStore}: its content, and the storable part of its failure.
 *
 * @param reason why the change was dead-lettered
 * @param partition the partition that returned it
 * @param change the change
 * @param at when it was dead-lettered
 * @param failure the failure that led to it; empty for a change that follows a parked one
 */
public record StoredDeadLetter(
        DeadLetter.Reason reason,
        PartitionToken partition,
        DataChangeRecord change,
        Instant at,
        Optional<Failure> failure) {

    /**
     * The failure of the consumer on a change.
     *
     * @param attempts the number of attempts
     * @param firstFailureAt when the first attempt failed
     * @param failedAt when the last attempt failed
     * @param errorClass the class name of the consumer's exception
     * @param errorMessage its message, or empty: without configured secrets, only the first line unless the exception
     *     is spream's own; truncated if long
     * @param undecodableRow the row as received, if it could not be decoded; the letter's change has no rows then
     */
    public record Failure(
            int attempts,
            Instant firstFailureAt,
            Instant failedAt,
            String errorClass,
            String errorMessage,
            Optional<String> undecodableRow) {
        public Failure(int attempts, Instant firstFailureAt, Instant failedAt, String errorClass, String errorMessage) {
            this(attempts, firstFailureAt, failedAt, errorClass, errorMessage, Optional.empty());
        }

        public Failure {
            requireNonNull(firstFailureAt, "firstFailureAt");
            requireNonNull(failedAt, "failedAt");
            requireNonNull(errorClass, "errorClass");
            requireNonNull(errorMessage, "errorMessage");
            requireNonNull(undecodableRow, "undecodableRow");
            if (attempts < 1) {
                throw new IllegalArgumentException("attempts is %d, must be 1 or more".formatted(attempts));
            }
        }
    }

    private static final int MAX_MESSAGE = 1_000;

    public StoredDeadLetter {
        requireNonNull(reason, "reason");
        requireNonNull(partition, "partition");
        requireNonNull(change, "change");
        requireNonNull(at, "at");
        requireNonNull(failure, "failure");
        if (failure.isEmpty() != (reason == DeadLetter.Reason.BEHIND_PARKED)) {
            throw new IllegalArgumentException("a dead letter with the reason %s %s"
                    .formatted(reason, failure.isPresent() ? "has no failure" : "needs its failure"));
        }
    }

    /** Returns the row as received, if it could not be decoded: such a letter cannot be replayed. */
    public Optional<String> undecodableRow() {
        return failure.flatMap(Failure::undecodableRow);
    }

    /** Returns the storable part of a letter. */
    public static StoredDeadLetter of(DeadLetter letter) {
        return new StoredDeadLetter(
                letter.reason(),
                letter.partition(),
                letter.change(),
                letter.at(),
                letter.failure()
                        .map(failure -> new Failure(
                                failure.attempt(),
                                failure.firstFailureAt(),
                                failure.failedAt(),
                                failure.cause().getClass().getName(),
                                message(failure.cause()),
                                failure.cause() instanceof UndecodableRowException undecodable
                                        ? Optional.of(undecodable.row())
                                        : Optional.empty())));
    }

    private static String message(Throwable cause) {
        String message = LoggedFailure.message(cause);
        return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE) + "…";
    }

    /**
     * Returns the letter as one JSON object, without line breaks between its members. The change keeps its received
     * text.
     */
    public String toJson() {
        return StoredDeadLetterJson.write(this);
    }

    /**
     * Parses the text of {@link #toJson}.
     *
     * @throws IllegalArgumentException if the text is something else
     */
    public static StoredDeadLetter fromJson(String json) {
        return fromJson(JsonObject.of(json));
    }

    /** Reads a letter from its parsed JSON object. */
    public static StoredDeadLetter fromJson(JsonObject json) {
        return StoredDeadLetterJson.read(json);
    }
}
