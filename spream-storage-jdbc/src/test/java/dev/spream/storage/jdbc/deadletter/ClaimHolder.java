package dev.spream.storage.jdbc.deadletter;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.record.RecordIdentity;
import dev.spream.storage.jdbc.JdbcPool;
import java.util.Optional;

/** A process that claims the first letter of a subscription, says so, and holds the claim until its input ends. */
final class ClaimHolder {
    private ClaimHolder() {}

    /** URL and subscription. */
    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws Exception {
        try (HikariDataSource pool = JdbcPool.open(arguments[0], Optional.empty(), Optional.empty());
                JdbcDeadLetterStore store = JdbcDeadLetterStore.create(pool, arguments[1])) {
            RecordIdentity first = store.openLetters().getFirst().identity();
            try (DeadLetterStore.Claim claim = store.claim(first, false).orElseThrow()) {
                System.out.println("claimed " + claim.letter().change().identity());
                System.in.read();
            }
        }
    }
}
