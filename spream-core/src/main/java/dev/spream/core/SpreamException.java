package dev.spream.core;

import org.jspecify.annotations.Nullable;

/**
 * The root of what spream throws on purpose. Its message says what failed and for which ids, what state remains, and
 * what happens next or what to do.
 */
public class SpreamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SpreamException(String message) {
        super(message);
    }

    public SpreamException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
