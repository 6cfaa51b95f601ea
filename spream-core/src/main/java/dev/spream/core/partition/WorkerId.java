package dev.spream.core.partition;

import static java.util.Objects.requireNonNull;

import java.util.UUID;

/**
 * The identifier of one run of one process. Never reused: a process that starts again is another worker.
 *
 * @param value at most 200 characters
 */
public record WorkerId(String value) {
    private static final int MAX_LENGTH = 200;

    public WorkerId {
        requireNonNull(value, "value");
        if (value.isEmpty() || value.length() > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "a worker id has 1 to %d characters, not %d".formatted(MAX_LENGTH, value.length()));
        }
    }

    /** Returns a new, unique worker id. */
    public static WorkerId random() {
        return new WorkerId(UUID.randomUUID().toString());
    }

    @Override
    public String toString() {
        return value;
    }
}
