package dev.spream.core;

import org.jspecify.annotations.Nullable;

/**
 * A failure as it may be logged: of exceptions that are not spream's own, messages have their first line only, since drivers of
 * databases quote the refused row in further ones, and no message has a configured secret. Keeps types, stack traces and causes.
 */
public final class LoggedFailure extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int MAX_CAUSES = 20;

    private final String brief;

    private LoggedFailure(Throwable failure, @Nullable Throwable cause) {
        super(text(failure.getClass().getName(), failure), cause, true, true);
        setStackTrace(failure.getStackTrace());
        String name = failure.getClass().getName();
        brief = text(name.substring(name.lastIndexOf('.') + 1), failure);
    }

    /** The failure itself if there is nothing in it to hide; what it suppressed is left out otherwise. */
    public static Throwable of(Throwable failure) {
        return isPlain(failure, MAX_CAUSES) ? failure : copy(failure, MAX_CAUSES);
    }

    /** What may be logged, stored and shown of a failure's message; empty if it has none. */
    public static String message(Throwable failure) {
        String message = failure.getMessage();
        if (message == null) {
            return "";
        }
        return Secrets.strike(
                failure instanceof SpreamException
                        ? message
                        : message.strip().lines().findFirst().orElse(""));
    }

    /** The simple name of the failure's class, and its message. */
    public String brief() {
        return brief;
    }

    private static boolean isPlain(Throwable failure, int depth) {
        String message = failure.getMessage();
        boolean plain = message == null || message(failure).equals(message);
        Throwable cause = failure.getCause();
        return plain
                && failure.getSuppressed().length == 0
                && (cause == null || (depth > 0 && isPlain(cause, depth - 1)));
    }

    private static LoggedFailure copy(Throwable failure, int depth) {
        Throwable cause = failure.getCause();
        return new LoggedFailure(failure, cause == null || depth == 0 ? null : copy(cause, depth - 1));
    }

    private static String text(String name, Throwable failure) {
        String message = message(failure);
        return message.isEmpty() ? name : name + ": " + message;
    }
}
