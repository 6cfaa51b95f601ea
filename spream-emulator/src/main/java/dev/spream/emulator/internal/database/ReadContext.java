package dev.spream.emulator.internal.database;

import dev.spream.emulator.internal.engine.Engine.SqlWork;
import java.util.function.Supplier;

/** The view of the database in which a read runs. */
public sealed interface ReadContext {

    /** The latest commit. */
    record Latest() implements ReadContext {}

    record Within(Snapshot snapshot) implements ReadContext {}

    /** A read-write transaction, with its own writes. */
    record Inside(ReadWriteTransaction transaction) implements ReadContext {}

    /**
     * Runs a query.
     *
     * @param reads what the work reads, for a transaction that writes
     */
    default QueryResult read(EmulatedDatabase database, Supplier<Reads> reads, SqlWork<QueryResult> work) {
        return switch (this) {
            case Latest ignored -> database.besidesDdl(() -> database.engine().read(work));
            case Within within -> database.besidesDdl(() -> within.snapshot().read(work));
            case Inside inside -> inside.transaction().query(work, reads);
        };
    }
}
