package dev.spream.emulator.internal.stream;

import com.google.protobuf.ByteString;
import dev.spream.emulator.internal.sql.Errors;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The position of a query, encoded in a resume token. Spanner's clients buffer rows until a message has a token, so
 * every message has one, and a resumed query continues after it.
 *
 * @param index the index of the next entry in the partition
 */
record ResumePoint(long index) {
    private static final Pattern TEXT = Pattern.compile("\\d{1,18}");

    ByteString token() {
        return ByteString.copyFromUtf8(Long.toString(index));
    }

    ResumePoint after(int entries) {
        return new ResumePoint(index + entries);
    }

    /** Returns the position of a token; empty if the token is. */
    static Optional<ResumePoint> of(ByteString token) {
        if (token.isEmpty()) {
            return Optional.empty();
        }
        String text = token.toStringUtf8();
        if (!TEXT.matcher(text).matches()) {
            throw Errors.invalidArgument("Invalid resume token.");
        }
        return Optional.of(new ResumePoint(Long.parseLong(text)));
    }
}
