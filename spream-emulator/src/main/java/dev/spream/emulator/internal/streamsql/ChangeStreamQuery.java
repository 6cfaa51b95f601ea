package dev.spream.emulator.internal.streamsql;

import com.google.protobuf.ByteString;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A query of a change stream, parsed but with its arguments not yet checked.
 *
 * @param stream the stream's name, as declared
 * @param function the function's name, as written
 * @param start null for NULL, which is refused
 * @param end null for no end
 * @param token null for the initial query
 * @param heartbeatMillis null for NULL, which is refused
 * @param hasReadOptions whether the reserved argument is not NULL, which is refused
 * @param resumeToken the token of the last row that the client received in an earlier attempt at this query; empty to
 * begin at the start
 */
public record ChangeStreamQuery(
        String stream,
        String function,
        @Nullable Instant start,
        @Nullable Instant end,
        @Nullable String token,
        @Nullable Long heartbeatMillis,
        boolean hasReadOptions,
        ByteString resumeToken) {

    /** Returns the same query, continued after the row with this resume token. */
    public ChangeStreamQuery resumingAt(ByteString lastResumeToken) {
        return new ChangeStreamQuery(
                stream, function, start, end, token, heartbeatMillis, hasReadOptions, lastResumeToken);
    }

    /** Returns the requested partition; empty for the initial query. */
    public Optional<String> partition() {
        return Optional.ofNullable(token);
    }

    /** Returns the last requested commit timestamp. */
    public Instant until() {
        return end == null ? Instant.MAX : end;
    }
}
