package dev.spream.projection.search;

import static java.util.Objects.requireNonNull;

import dev.spream.core.SpreamException;
import dev.spream.projection.FailureKind;
import org.jspecify.annotations.Nullable;

/** The failure of an operation of a search engine; its kind decides how the projection reacts. */
public final class SearchException extends SpreamException {
    private static final long serialVersionUID = 1L;

    private final FailureKind kind;

    /**
     * @param kind {@code TRANSIENT} if it may succeed later, such as of an engine that cannot be reached; {@code
     *     POISON} if the engine refuses what it was given; {@code LOCAL} if it refuses everything that comes from this
     *     process, such as for a wrong key or a wrong folder; {@code FATAL} if it refuses everything
     * @param message the description that is stored and logged, without contents of documents
     */
    public SearchException(FailureKind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = requireNonNull(kind, "kind");
    }

    public FailureKind kind() {
        return kind;
    }
}
