package dev.spream.storage.jdbc.lock;

import dev.spream.lock.LockKey;
import dev.spream.lock.LockMode;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** How InnoDB writes the locks of rows, on MySQL and MariaDB alike. */
final class InnoDbMode {
    /** The primary key; there are no negative numbers in it. */
    private static final Pattern KEY = Pattern.compile("(\\d+), (\\d+)");

    private InnoDbMode() {}

    /** As in {@code X,REC_NOT_GAP}. */
    static LockMode mode(String mode) {
        return mode.startsWith("S") ? LockMode.SHARED : LockMode.EXCLUSIVE;
    }

    /** As in {@code 0, 17}; empty for what is no row, and for a row that the server does not have in memory. */
    static Optional<LockKey> key(@Nullable String data) {
        Matcher matcher = KEY.matcher(data == null ? "" : data);
        return matcher.matches()
                ? Optional.of(new LockKey(Integer.parseInt(matcher.group(1)), Long.parseLong(matcher.group(2))))
                : Optional.empty();
    }
}
