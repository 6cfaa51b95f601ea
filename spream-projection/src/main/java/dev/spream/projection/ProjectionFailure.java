package dev.spream.projection;

import static java.util.Objects.requireNonNull;

import dev.spream.core.SpreamException;
import org.jspecify.annotations.Nullable;

/** A projection says how it failed. */
public final class ProjectionFailure extends SpreamException {
    private static final long serialVersionUID = 1L;

    private final FailureKind kind;

    /** @param message stored and logged: what is wrong, without what events contain */
    public ProjectionFailure(FailureKind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = requireNonNull(kind, "kind");
    }

    public FailureKind kind() {
        return kind;
    }
}
