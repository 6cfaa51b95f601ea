package dev.spream.emulator.internal.sql;

import com.google.protobuf.ByteString;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A query of a change stream, parsed but with its arguments not yet checked.
 *
 * @param stream the stream's name, as declared
 * @param function the function's name, as it was written
 * @param start null where the query says NULL, which is refused
 * @param end null for no end
 * @param token null for the initial query
 * @param heartbeatMillis null where the query says NULL, which is refused
 * @param hasReadOptions whether the reserved argument is not NULL, which is refused
 * @param resumeToken of the last row that a client has of an earlier try of this query; empty to begin at the start
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

    /** The same query, continued after the row that came with this resume token. */
    public ChangeStreamQuery resumingAt(ByteString lastResumeToken) {
        return new ChangeStreamQuery(
                stream, function, start, end, token, heartbeatMillis, hasReadOptions, lastResumeToken);
    }

    /** The partition that is asked for; empty for the initial query. */
    public Optional<String> partition() {
        return Optional.ofNullable(token);
    }

    /** The last commit timestamp that is asked for. */
    public Instant until() {
        return end == null ? Instant.MAX : end;
    }
}
