package dev.spream.core;

import org.jspecify.annotations.Nullable;

/**
 * The root of what spream throws on purpose. Its message says what failed and for which ids, what state remains, and
 * what happens next or what to do. Secrets that the process was configured with are struck from it.
 */
public class SpreamException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public SpreamException(String message) {
        super(Secrets.strike(message));
    }

    public SpreamException(String message, @Nullable Throwable cause) {
        super(Secrets.strike(message), cause);
    }
}
