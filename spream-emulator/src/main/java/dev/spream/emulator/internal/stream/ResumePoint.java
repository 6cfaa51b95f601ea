package dev.spream.emulator.internal.stream;

import com.google.protobuf.ByteString;
import dev.spream.emulator.internal.sql.Errors;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The position of a query, encoded in a resume token. Spanner's clients buffer rows until a message has a token, so
 * every message has one, and a resumed query continues after it.
 *
 * @param index the index of the next entry in the partition
 * @param children the number of child partitions records that were sent
 */
record ResumePoint(long index, int children) {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,18}):(\\d{1,9})");

    ByteString token() {
        return ByteString.copyFromUtf8(index + ":" + children);
    }

    /** Returns the position of a token; empty if the token is. */
    static Optional<ResumePoint> of(ByteString token) {
        if (token.isEmpty()) {
            return Optional.empty();
        }
        Matcher matcher = TEXT.matcher(token.toStringUtf8());
        if (!matcher.matches()) {
            throw Errors.invalidArgument("Invalid resume token.");
        }
        return Optional.of(new ResumePoint(Long.parseLong(matcher.group(1)), Integer.parseInt(matcher.group(2))));
    }
}
