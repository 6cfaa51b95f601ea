package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import dev.spream.core.SpreamException;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** A failure of a projection; its {@linkplain FailureKind kind} decides how the projection reacts. */
public final class ProjectionException extends SpreamException {
    private static final long serialVersionUID = 1L;

    private static final int MAX_CAUSES = 4;

    private final FailureKind kind;

    /** @param message the description that is stored and logged, without contents of events */
    public ProjectionException(FailureKind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = requireNonNull(kind, "kind");
    }

    public FailureKind kind() {
        return kind;
    }

    /**
     * Returns the types of a failure and of its causes, and where each was thrown: the text that may be stored and
     * logged for any failure. Messages are omitted, since they may contain an event's data.
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
