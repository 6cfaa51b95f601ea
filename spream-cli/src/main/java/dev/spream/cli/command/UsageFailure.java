package dev.spream.cli.command;

import java.util.function.Supplier;

/** An invalid command line; its message is the line shown to the user, with exit code 2. */
public final class UsageFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public UsageFailure(String message) {
        super(message);
    }

    /** Throws a usage failure unless the condition holds. */
    public static void require(boolean condition, String message) {
        if (!condition) {
            throw new UsageFailure(message);
        }
    }

    /** Throws a usage failure if the number is out of range. */
    public static void requireBetween(String option, long value, long min, long max) {
        require(value >= min && value <= max, "%s is %d, must be %d to %d".formatted(option, value, min, max));
    }

    /**
     * Returns the value, or throws a usage failure with the message and that of the {@link IllegalArgumentException}.
     */
    public static <T> T required(String message, Supplier<T> value) {
        try {
            return value.get();
        } catch (IllegalArgumentException e) {
            throw new UsageFailure(message + e.getMessage());
        }
    }
}
