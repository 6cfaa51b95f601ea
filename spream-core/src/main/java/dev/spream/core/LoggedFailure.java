package dev.spream.core;

import org.jspecify.annotations.Nullable;

/**
 * A copy of a failure that is safe to log: its messages contain no configured secrets, and those of exceptions other
 * than spream's own are reduced to their first line, because database drivers quote the refused row in further lines.
 * Types, stack traces and causes are kept.
 */
public final class LoggedFailure extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int MAX_CAUSES = 20;

    private final String brief;

    private LoggedFailure(Throwable failure, @Nullable Throwable cause) {
        super(text(failure.getClass().getName(), failure), cause, true, true);
        setStackTrace(failure.getStackTrace());
        brief = brief(failure);
    }

    /** Returns the failure itself if it contains nothing to hide; otherwise a copy, without suppressed exceptions. */
    public static Throwable of(Throwable failure) {
        return isPlain(failure, MAX_CAUSES) ? failure : copy(failure, MAX_CAUSES);
    }

    /** Returns the part of a failure's message that may be logged, stored and shown; empty if it has no message. */
    public static String message(Throwable failure) {
        String message = struckMessage(failure);
        return failure instanceof SpreamException ? withFirstLinesOf(failure, message) : firstLine(message);
    }

    /** Returns the simple name of the failure's class, and the part of its message that may be shown. */
    public static String brief(Throwable failure) {
        if (failure instanceof LoggedFailure logged) {
            return logged.brief;
        }
        String name = failure.getClass().getName();
        return text(name.substring(name.lastIndexOf('.') + 1), failure);
    }

    /** Spream's own messages quote the messages of their causes, whose further lines are removed here. */
    private static String withFirstLinesOf(Throwable failure, String message) {
        String cut = message;
        Throwable cause = failure.getCause();
        for (int i = 0; cause != null && i < MAX_CAUSES; i++, cause = cause.getCause()) {
            if (!(cause instanceof SpreamException)) {
                String quoted = struckMessage(cause).strip();
                String first = firstLine(quoted);
                cut = quoted.equals(first) ? cut : cut.replace(quoted, first);
            }
        }
        return cut;
    }

    private static String struckMessage(Throwable failure) {
        String message = failure.getMessage();
        return message == null ? "" : Secrets.mask(message);
    }

    private static String firstLine(String message) {
        return message.strip().lines().findFirst().orElse("");
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
