package dev.spream.core.source;

import static java.util.Objects.requireNonNull;

import dev.spream.core.SpreamException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A change stream could not be read any further. The {@link Kind} determines the reaction. */
public final class SourceException extends SpreamException {
    private static final long serialVersionUID = 1L;

    /** The meaning of a stream's failure for its reader. None of them proves the end of a partition. */
    public enum Kind {
        /** The stream broke, as happens regularly: reconnect from the last position. */
        TRANSIENT,
        /** The cursor was closed by its own process. */
        CANCELLED,
        /** The start is before the retention period: records that were not read are lost. */
        RETENTION_LOST,
        /** The whole partition is before the retention period: its records, and the names of its children, are lost. */
        PARTITION_EXPIRED,
        /** The start is outside the partition's life; {@link #validUntil()} may say where it ends. */
        OUTSIDE_PARTITION,
        /** The start is in the future, by the server's clock. */
        START_IN_FUTURE,
        /** There is no such stream, table function, database, or the token belongs to another stream. */
        NOT_FOUND,
        /** The caller may not read the stream. */
        PERMISSION_DENIED,
        /** The server sent a response that cannot be decoded. */
        MALFORMED,
        /** Anything else: reading again will not help. */
        FATAL
    }

    private final Kind kind;
    private final transient @Nullable Instant validUntil;
    private final transient @Nullable UndecodableChange undecodableChange;

    public SourceException(Kind kind, String message, @Nullable Throwable cause) {
        this(kind, message, cause, null, null);
    }

    public SourceException(Kind kind, String message, @Nullable Throwable cause, @Nullable Instant validUntil) {
        this(kind, message, cause, validUntil, null);
    }

    private SourceException(
            Kind kind,
            String message,
            @Nullable Throwable cause,
            @Nullable Instant validUntil,
            @Nullable UndecodableChange undecodableChange) {
        super(message, cause);
        this.kind = requireNonNull(kind, "kind");
        this.validUntil = validUntil;
        this.undecodableChange = undecodableChange;
    }

    /**
     * Returns the failure of a row that is known to hold only a change and cannot be decoded; the cursor can be read
     * further after it.
     */
    public static SourceException undecodable(UndecodableChange change, String message, Throwable cause) {
        return new SourceException(Kind.MALFORMED, message, cause, null, requireNonNull(change, "change"));
    }

    public Kind kind() {
        return kind;
    }

    /** Returns the end of the partition, if the server reported it. */
    public Optional<Instant> validUntil() {
        return Optional.ofNullable(validUntil);
    }

    /** Returns the change that could not be decoded, if the cursor can be read further after it. */
    public Optional<UndecodableChange> undecodableChange() {
        return Optional.ofNullable(undecodableChange);
    }
}
