package dev.spream.storage.jdbc.ledger;

import dev.spream.core.record.DataChangeRecord;
import java.time.Instant;
import java.util.List;

/** Changes that tests only need for their identity. */
final class Identities {
    private Identities() {}

    static DataChangeRecord of(Instant commitTimestamp, String transaction, String sequence) {
        return new DataChangeRecord(
                commitTimestamp,
                sequence,
                transaction,
                true,
                "T",
                List.of(),
                List.of(),
                "INSERT",
                "NEW_ROW",
                1,
                1,
                "",
                false);
    }
}
