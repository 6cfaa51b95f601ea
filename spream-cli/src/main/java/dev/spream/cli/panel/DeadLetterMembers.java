package dev.spream.cli.panel;

import dev.spream.cli.output.Members;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;

/** A dead letter as JSON without the content of rows. Times are RFC 3339; missing values are absent. */
public final class DeadLetterMembers {
    private DeadLetterMembers() {}

    /** Returns the letter with the keys of its change. */
    public static Members withKeys(DeadLetterStore.Entry entry, StoredDeadLetter letter) {
        Members members = identity(entry, letter)
                .list(
                        "keys",
                        RecordKey.of(letter.change()),
                        key -> key.primaryKey().members());
        return state(members, entry, letter);
    }

    /** Returns the letter without keys. */
    static Members withoutKeys(DeadLetterStore.Entry entry, StoredDeadLetter letter) {
        return state(identity(entry, letter), entry, letter);
    }

    private static Members identity(DeadLetterStore.Entry entry, StoredDeadLetter letter) {
        return new Members()
                .put("identity", entry.identity().toString())
                .put("commit_timestamp", entry.identity().commitTimestamp())
                .put("server_transaction_id", entry.identity().serverTransactionId())
                .put("record_sequence", entry.identity().recordSequence())
                .put("table_name", letter.change().tableName());
    }

    private static Members state(Members members, DeadLetterStore.Entry entry, StoredDeadLetter letter) {
        return members.put("reason", entry.reason())
                .put("overtaken", entry.overtaken())
                .put("undecodable", letter.undecodableRow().isPresent())
                .put("partition", letter.partition())
                .put("set_aside_at", letter.at())
                .put("attempts", letter.failure().map(StoredDeadLetter.Failure::attempts))
                .put("first_failure_at", letter.failure().map(StoredDeadLetter.Failure::firstFailureAt))
                .put("failed_at", letter.failure().map(StoredDeadLetter.Failure::failedAt))
                .put("error_class", letter.failure().map(StoredDeadLetter.Failure::errorClass));
    }
}
