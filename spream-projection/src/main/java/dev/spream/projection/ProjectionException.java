package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import dev.spream.core.SpreamException;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** A failure of a projection with its kind. */
public final class ProjectionException extends SpreamException {
    private static final long serialVersionUID = 1L;

    private static final int MAX_CAUSES = 4;

    private final FailureKind kind;

    /** @param message stored and logged: what is wrong, without what events contain */
    public ProjectionException(FailureKind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = requireNonNull(kind, "kind");
    }

    public FailureKind kind() {
        return kind;
    }

    /**
     * The types of a failure and of its causes, and where each was thrown: what may be stored and logged of any failure. Their
     * messages are left out, since they may hold an event's data.
     */
    public static String types(Throwable failure) {
        StringJoiner types = new StringJoiner(", caused by ");
        @Nullable Throwable next = failure;
        for (int i = 0; next != null && i < MAX_CAUSES; i++) {
            StackTraceElement[] frames = next.getStackTrace();
            types.add(next.getClass().getName() + (frames.length == 0 ? "" : " at " + frames[0]));
            next = next.getCause();
        }
        return types.toString();
    }
}
