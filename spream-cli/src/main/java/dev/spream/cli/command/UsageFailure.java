package dev.spream.cli.command;

import java.util.function.Supplier;

/** A command line that cannot be meant; its message is the line that the user sees, with exit code 2. */
public final class UsageFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageFailure(String message) {
        super(message);
    }

    /** Refuses a command line of which the condition does not hold. */
    public static void require(boolean condition, String message) {
        if (!condition) {
            throw new UsageFailure(message);
        }
    }

    /** Refuses a number that an option cannot have. */
    public static void requireBetween(String option, long value, long min, long max) {
        require(value >= min && value <= max, "%s is %d, must be %d to %d".formatted(option, value, min, max));
    }

    /** Refuses what a value cannot be made of, with the message of its {@link IllegalArgumentException} behind this one. */
    public static <T> T required(String message, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new UsageFailure(message + e.getMessage());
        }
    }
}
