package dev.spream.differential;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonPrimitive;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * A known way in which Google's emulator differs from Spanner. Each says what Google's emulator makes of a transaction's
 * records as ours reports them; what it says then must be what Google's really sent.
 */
enum Quirk {
    UNWATCHED_UPDATES("NEW_ROW and NEW_ROW_AND_OLD_VALUES record updates that write no watched column, too.") {
        @Override
        int apply(ComparedTransaction transaction) {
            return transaction.dropUnwatchedUpdates();
        }
    },
    SILENT_UPDATES_PART_RECORDS(
            "An update that leaves no record parts the rows before it and after it into two records.") {
        @Override
        int apply(ComparedTransaction transaction) {
            return transaction.joinAcrossSilentUpdates();
        }
    },
    REPLACED_ROWS_ARE_NEW("REPLACE of a row that is there gives an INSERT without the DELETE before it.") {
        @Override
        int apply(ComparedTransaction transaction) {
            return transaction.dropDeletionsOfReplacedRows();
        }
    },
    ROWS_BY_TABLE_AND_KEY("The rows of a transaction come by table and key, not in the order they were written in.") {
        @Override
        int apply(ComparedTransaction transaction) {
            return transaction.reorder() ? 1 : 0;
        }
    },
    OWN_COMMIT_TIMESTAMP("A commit timestamp of the record's own transaction reads 9999-12-31T23:59:59Z.") {
        @Override
        int apply(ComparedTransaction transaction) {
            JsonPrimitive own = new JsonPrimitive(Changes.committedAt(transaction.step()));
            JsonPrimitive written = new JsonPrimitive("9999-12-31T23:59:59Z");
            return eachValue(transaction, TIMES, (kind, value) -> value.equals(own) ? written : value);
        }
    },
    TIMESTAMPS_IN_SECONDS("Timestamps in mods are cut to seconds.") {
        @Override
        int apply(ComparedTransaction transaction) {
            return eachValue(
                    transaction,
                    TIMES,
                    (kind, value) -> new JsonPrimitive(transaction
                            .instant(value.getAsString())
                            .truncatedTo(ChronoUnit.SECONDS)
                            .toString()));
        }
    },
    NO_NUMBER("NaN comes as JSON null.") {
        @Override
        int apply(ComparedTransaction transaction) {
            JsonPrimitive nan = new JsonPrimitive("NaN");
            return eachValue(
                    transaction,
                    Set.of(ColumnKind.FLOAT64, ColumnKind.FLOAT64S),
                    (kind, value) -> value.equals(nan) ? JsonNull.INSTANCE : value);
        }
    },
    NULL_TEXT("A NULL within an array of integers comes as the string NULL.") {
        @Override
        int apply(ComparedTransaction transaction) {
            int applied = 0;
            for (JsonArray array : transaction.arrays(ColumnKind.INT64S)) {
                for (int i = 0; i < array.size(); i++) {
                    if (array.get(i).isJsonNull()) {
                        array.set(i, new JsonPrimitive("NULL"));
                        applied++;
                    }
                }
            }
            return applied;
        }
    };

    /** Those that remain where our emulator serves the streams of Google's. */
    static final Set<Quirk> OVER_GOOGLES = EnumSet.of(UNWATCHED_UPDATES, REPLACED_ROWS_ARE_NEW, ROWS_BY_TABLE_AND_KEY);

    private static final Set<ColumnKind> TIMES =
            Set.of(ColumnKind.TIMESTAMP, ColumnKind.TIMESTAMPS, ColumnKind.COMMIT_TIMESTAMP);

    private final String sentence;

    Quirk(String sentence) {
        this.sentence = sentence;
    }

    String sentence() {
        return sentence;
    }

    /** Changes our records into what Google's emulator makes of them; returns how often. */
    abstract int apply(ComparedTransaction transaction);

    private static int eachValue(
            ComparedTransaction transaction,
            Set<ColumnKind> kinds,
            BiFunction<ColumnKind, JsonElement, JsonElement> change) {
        return transaction.changeValues(kinds, change);
    }
}
