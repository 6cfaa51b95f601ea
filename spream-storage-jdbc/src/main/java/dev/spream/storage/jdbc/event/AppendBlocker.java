package dev.spream.storage.jdbc.event;

import dev.spream.core.DurationText;
import java.time.Duration;
import java.util.Optional;

/**
 * A session whose transaction has inserted events and is still open. Fields that the server hides from this user, for
 * lack of {@code pg_read_all_stats}, are empty.
 *
 * @param pid the server's process, for {@code pg_terminate_backend}; 0 for prepared transactions, which have no
 *     session, see {@code pg_prepared_xacts}
 * @param user the user of the session; may be empty
 * @param application its application name; may be empty
 * @param state its state, such as {@code idle in transaction}
 * @param age how long the transaction has been open
 */
public record AppendBlocker(int pid, String user, String application, Optional<String> state, Optional<Duration> age) {

    @Override
    public String toString() {
        return "pid %d (%s, '%s', %s, open for %s)"
                .formatted(
                        pid,
                        user,
                        application,
                        state.orElse("state hidden"),
                        age.map(DurationText::of).orElse("an unknown time"));
    }
}
