package dev.spream.benchmarks.delivery;

import dev.spream.benchmarks.harness.LocalSource;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import dev.spream.core.record.ValueCaptureType;
import dev.spream.core.source.ChangeStreamCursor;
import dev.spream.core.source.PartitionQuery;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/**
 * An unbounded stream of one partition, with transfers between pairs of accounts at even intervals: those of the past
 * at once, the others as they occur. Safe for use by many threads.
 */
final class TransferSource extends LocalSource {
    private static final int SEED = 42;
    private static final JsonObject VALUES = JsonObject.of("{\"Balance\":\"17\"}");

    private final int accounts;
    private final long intervalNanos;

    TransferSource(int accounts, long perSecond) {
        super("Transfers");
        this.accounts = accounts;
        this.intervalNanos = 1_000_000_000L / perSecond;
    }

    /** Returns the number of the account that a change updates. */
    static int account(Mod mod) {
        return Integer.parseInt(mod.keys().string("Account").orElseThrow());
    }

    @Override
    public ChangeStreamCursor query(PartitionQuery query) {
        Random random = new Random(SEED);
        return paced(query.startTimestamp(), intervalNanos, at -> transfer(at, random));
    }

    private DataChangeRecord transfer(Instant at, Random random) {
        int from = random.nextInt(accounts);
        int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
        return change(
                at,
                at.toString(),
                "Accounts",
                List.of(),
                List.of(mod(from), mod(to)),
                ModType.UPDATE,
                ValueCaptureType.NEW_VALUES);
    }

    private static Mod mod(int account) {
        return new Mod(JsonObject.of("{\"Account\":\"" + account + "\"}"), VALUES, JsonObject.EMPTY);
    }
}
