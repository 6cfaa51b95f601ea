package dev.spream.storage.jdbc.deadletter;

import dev.spream.core.record.RecordIdentity;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The changes of one subscription that were delivered before earlier failed letters of the same key, so that these
 * letters were overtaken. Per key, only changes that overtook a letter are stored, so there are about as many as
 * letters at most.
 */
record OvertakenTable(String subscription, DeadLetterLocks locks) {
    private static final String ASK = """
            SELECT
                %s AS free,
                ARRAY (SELECT DISTINCT key_hash FROM @dead_letter_keys
                    WHERE key_hash = ANY (?) AND subscription = ? AND failed) AS failed,
                %s AS passes""".formatted(DeadLetterLocks.SHARE_CLAIM, StoredDeadLetters.UNPASSED);

    private static final String PASS = """
            INSERT INTO @dead_letter_passes
                (key_hash, subscription, commit_timestamp, server_transaction_id, record_sequence)
            SELECT DISTINCT change.key_hash, asked.subscription,
                change.commit_timestamp, change.server_transaction_id, change.record_sequence
            FROM (SELECT ?::text) AS asked(subscription)
            CROSS JOIN unnest(?::text[], ?::numeric[], ?::text[], ?::text[])
                AS change(key_hash, commit_timestamp, server_transaction_id, record_sequence)
            WHERE EXISTS (
                SELECT FROM @dead_letter_keys k
                WHERE k.key_hash = change.key_hash AND k.subscription = asked.subscription AND k.failed
                    AND (k.commit_timestamp, k.server_transaction_id, k.record_sequence)
                        < (change.commit_timestamp, change.server_transaction_id, change.record_sequence))
            ON CONFLICT DO NOTHING""";

    private static final String TAKE_BACK = """
            DELETE FROM @dead_letter_passes
            WHERE key_hash = ANY (?) AND subscription = ?
                AND commit_timestamp = ? AND server_transaction_id = ? AND record_sequence = ?""";

    private static final String CLEAR = """
            DELETE FROM @dead_letter_passes pass
            WHERE key_hash = ANY (?) AND subscription = ? AND NOT EXISTS (
                SELECT FROM @dead_letter_keys k
                WHERE k.key_hash = pass.key_hash AND k.subscription = pass.subscription AND k.failed)""";

    /**
     * The state of the keys of a change before its delivery.
     *
     * @param free whether none of the keys is claimed; if so, they cannot be claimed during this transaction
     * @param failed the hashes of the keys with failed letters
     * @param passes whether the change would overtake one of these letters
     */
    record Answer(boolean free, Set<String> failed, boolean passes) {
        private static Answer read(ResultSet row) throws SQLException {
            return new Answer(
                    row.getBoolean("free"), Set.copyOf(Parameters.texts(row, "failed")), row.getBoolean("passes"));
        }
    }

    Answer ask(Statements transaction, List<StoredKey> keys, RecordIdentity change) throws SQLException {
        List<String> hashes = StoredKey.hashes(keys);
        return transaction.row(
                ASK,
                p -> StoredDeadLetters.bind(
                        p.number(locks.claims())
                                .numbers(DeadLetterLocks.numbers(keys))
                                .texts(hashes)
                                .text(subscription)
                                .texts(hashes)
                                .text(subscription),
                        change),
                Answer::read);
    }

    /** Records that the change overtakes the letters of these keys that are before it. */
    void pass(Statements transaction, List<StoredKey> keys, RecordIdentity change) throws SQLException {
        pass(transaction, keys.stream().map(key -> new Pass(key.hash(), change)).toList());
    }

    /** Records that the changes of these letters overtake the letters of their keys that are before them. */
    void pass(Statements transaction, Collection<StoredDeadLetters.Row> letters) throws SQLException {
        pass(
                transaction,
                letters.stream()
                        .flatMap(row -> row.keys().stream().map(key -> new Pass(key.hash(), row.identity())))
                        .toList());
    }

    private record Pass(String keyHash, RecordIdentity change) {}

    private void pass(Statements transaction, List<Pass> passes) throws SQLException {
        transaction.update(
                PASS,
                p -> StoredDeadLetters.bindAll(
                        p.text(subscription).texts(passes, Pass::keyHash),
                        passes.stream().map(Pass::change).toList()));
    }

    /** Removes the record of a change whose delivery failed. */
    void takeBack(Statements transaction, List<StoredKey> keys, RecordIdentity change) throws SQLException {
        transaction.update(
                TAKE_BACK,
                p -> StoredDeadLetters.bind(p.texts(StoredKey.hashes(keys)).text(subscription), change));
    }

    /** Removes the records of these keys that have no letter left. */
    void clear(Statements transaction, List<StoredKey> keys) throws SQLException {
        transaction.update(CLEAR, p -> p.texts(StoredKey.hashes(keys)).text(subscription));
    }
}
