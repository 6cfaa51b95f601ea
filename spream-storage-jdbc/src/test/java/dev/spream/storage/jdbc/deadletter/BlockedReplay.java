package dev.spream.storage.jdbc.deadletter;

import com.zaxxer.hikari.HikariDataSource;
import dev.spream.core.consume.ChangeHandler;
import dev.spream.core.consume.DeadLetterReplay;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.storage.jdbc.JdbcPool;
import dev.spream.testkit.consume.Changes;
import java.time.Duration;
import java.util.Optional;

/** A process that replays the letters of a subscription, says which it took, and gets stuck in one until its input ends. */
final class BlockedReplay {
    private BlockedReplay() {}

    /** URL, subscription, and the second of the change to get stuck in. */
    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws Exception {
        int stuckAt = Integer.parseInt(arguments[2]);
        try (HikariDataSource pool = JdbcPool.open(arguments[0], Optional.empty(), Optional.empty());
                JdbcDeadLetterStore store = JdbcDeadLetterStore.create(pool, arguments[1])) {
            ChangeHandler consumer = change -> {
                if (second(change) == stuckAt) {
                    System.out.println("stuck");
                    System.in.read();
                }
                System.out.println("taken " + second(change));
            };
            DeadLetterReplay.of(store, consumer).all();
        }
    }

    static int second(DataChangeRecord change) {
        return Math.toIntExact(
                Duration.between(Changes.START, change.commitTimestamp()).toSeconds());
    }
}
