package dev.spream.storage.jdbc.event;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.util.Optional;

/**
 * Somebody whose transaction has inserted events and is still open. What the server does not show to this user, for want of
 * {@code pg_read_all_stats}, is empty.
 *
 * @param pid the server's process, for {@code pg_terminate_backend}; 0 for transactions that are prepared and belong to
 *     nobody, see {@code pg_prepared_xacts}
 * @param user as whom it connected; may be empty
 * @param application what it calls itself; may be empty
 * @param state what it does, such as {@code idle in transaction}
 * @param age since when the transaction is open
 */
public record AppendBlocker(int pid, String user, String application, Optional<String> state, Optional<Duration> age) {

    @Override
    public String toString() {
        return "pid %d (%s, '%s', %s, open for %s)"
                .formatted(
                        pid,
                        user,
                        application,
                        state.orElse("state not shown"),
                        age.map(DurationText::of).orElse("a time that is not shown"));
    }
}
