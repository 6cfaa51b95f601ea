package dev.spream.storage.jdbc.deadletter;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.DeadLetter.Reason;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.record.RecordIdentity;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Parameters;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The letters of one subscription and the keys of those that are open. A transaction that changes them holds the state
 * locks of their keys.
 */
record StoredDeadLetters(String subscription) {
    /** A condition: whether the failed letter {@code k} was overtaken, by any of its keys. */
    private static final String OVERTAKEN = """
            EXISTS (
                SELECT FROM @dead_letter_keys other JOIN @dead_letter_passes pass
                    ON pass.key_hash = other.key_hash AND pass.subscription = other.subscription
                WHERE other.letter_id = k.letter_id
                    AND (pass.commit_timestamp, pass.server_transaction_id, pass.record_sequence)
                        > (k.commit_timestamp, k.server_transaction_id, k.record_sequence))""";

    /**
     * A condition: whether some failed letters of the given keys, before the given change, were not overtaken yet. For
     * each key it reads only the letters after the last one that was overtaken, and each letter once, because keys can
     * have very many letters, and letters very many keys. Parameters: the keys, the subscription, the change.
     */
    static final String UNPASSED = """
            EXISTS (
                WITH candidate AS MATERIALIZED (
                    SELECT DISTINCT k.letter_id, k.commit_timestamp, k.server_transaction_id, k.record_sequence
                    FROM unnest(?::text[]) AS asked(key_hash)
                    CROSS JOIN (SELECT ?::text, ?::numeric, ?::text, ?::text)
                        AS change(subscription, commit_timestamp, server_transaction_id, record_sequence)
                    LEFT JOIN LATERAL (
                        SELECT pass.commit_timestamp, pass.server_transaction_id, pass.record_sequence
                        FROM @dead_letter_passes pass
                        WHERE pass.key_hash = asked.key_hash AND pass.subscription = change.subscription
                        ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT 1) AS last ON true
                    JOIN @dead_letter_keys k
                        ON k.key_hash = asked.key_hash AND k.subscription = change.subscription AND k.failed
                        AND (k.commit_timestamp, k.server_transaction_id, k.record_sequence)
                            < (change.commit_timestamp, change.server_transaction_id, change.record_sequence)
                        AND (last.commit_timestamp IS NULL
                            OR (k.commit_timestamp, k.server_transaction_id, k.record_sequence)
                                >= (last.commit_timestamp, last.server_transaction_id, last.record_sequence)))
                SELECT FROM candidate k WHERE NOT %s)""".formatted(OVERTAKEN);

    private static final String IS = """
            subscription = ? AND commit_timestamp = ? AND server_transaction_id = ? AND record_sequence = ?
                AND settled IS NULL""";

    private static final String FIND = "SELECT id, reason, kept, letter FROM @dead_letters WHERE " + IS;

    private static final String INSERT = """
            INSERT INTO @dead_letters (subscription, commit_timestamp, server_transaction_id, record_sequence, reason,
                letter, kept_at)
            VALUES (?, ?, ?, ?, ?, ?, clock_timestamp()) RETURNING id""";

    private static final String INSERT_KEYS = """
            INSERT INTO @dead_letter_keys (letter_id, subscription, failed, commit_timestamp, server_transaction_id,
                record_sequence, key_hash, table_name, key)
            SELECT l.id, l.subscription, l.reason = 'FAILED', l.commit_timestamp, l.server_transaction_id,
                l.record_sequence, k.*
            FROM @dead_letters l, unnest(?::text[], ?::text[], ?::text[]) AS k(key_hash, table_name, key)
            WHERE l.id = ?""";

    private static final String KEEP_AGAIN = "UPDATE @dead_letters SET kept = kept + 1 WHERE id = ?";

    private static final String REPLACE = "UPDATE @dead_letters SET kept = kept + 1, letter = ? WHERE id = ?";

    private static final String DELETE = "DELETE FROM @dead_letters WHERE id = ?";

    /** Marks letters as resolved, in the columns {@code settled} and {@code settled_at}. */
    private static final String RESOLVE = """
            UPDATE @dead_letters l SET settled = ?, settled_at = clock_timestamp()
            FROM unnest(?::bigint[], ?::bigint[]) AS claimed(id, kept)
            WHERE l.id = claimed.id AND l.kept = claimed.kept AND l.settled IS NULL
            RETURNING l.id""";

    private static final String DELETE_KEYS = "DELETE FROM @dead_letter_keys WHERE letter_id = ANY (?)";

    /** Looks up each letter by its key, whatever the server's statistics of tables that just grew. */
    private static final String ASK = """
            SELECT i.place, k.*, ARRAY (SELECT key_hash FROM @dead_letter_keys WHERE letter_id = k.id) AS key_hashes
            FROM (SELECT ?::text) AS asked(subscription)
            CROSS JOIN unnest(?::numeric[], ?::text[], ?::text[]) WITH ORDINALITY
                AS i(commit_timestamp, server_transaction_id, record_sequence, place)
            CROSS JOIN LATERAL (
                SELECT l.id, octet_length(l.letter) AS bytes
                FROM @dead_letters l
                WHERE l.subscription = asked.subscription AND l.commit_timestamp = i.commit_timestamp
                    AND l.server_transaction_id = i.server_transaction_id
                    AND l.record_sequence = i.record_sequence AND l.settled IS NULL
                LIMIT 1) AS k
            ORDER BY i.place""";

    private static final String LIST = """
            SELECT k.letter_id, k.kept, k.commit_timestamp, k.server_transaction_id, k.record_sequence,
                CASE WHEN k.reason = 'FAILED' THEN %s ELSE false END AS overtaken
            FROM (SELECT id AS letter_id, * FROM @dead_letters WHERE id = ANY (?) AND settled IS NULL) AS k
            ORDER BY k.commit_timestamp, k.server_transaction_id, k.record_sequence""".formatted(OVERTAKEN);

    /**
     * Selects for each key the first letter that has to be replayed and is not among the given ones. Parameters: the
     * keys, the subscription, the ids.
     */
    private static final String FIRST_OUTSIDE = """
            SELECT asked.key_hash, first.*
            FROM unnest(?::text[]) AS asked(key_hash)
            CROSS JOIN (SELECT ?::text, ?::bigint[]) AS inside(subscription, ids)
            LEFT JOIN LATERAL (
                SELECT pass.commit_timestamp, pass.server_transaction_id, pass.record_sequence
                FROM @dead_letter_passes pass
                WHERE pass.key_hash = asked.key_hash AND pass.subscription = inside.subscription
                ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT 1) AS last ON true
            CROSS JOIN LATERAL (
                (SELECT k.commit_timestamp, k.server_transaction_id, k.record_sequence
                    FROM @dead_letter_keys k
                    WHERE k.key_hash = asked.key_hash AND k.subscription = inside.subscription AND NOT k.failed
                        AND k.letter_id <> ALL (inside.ids)
                    ORDER BY 1, 2, 3 LIMIT 1)
                UNION ALL
                (SELECT k.commit_timestamp, k.server_transaction_id, k.record_sequence
                    FROM @dead_letter_keys k
                    WHERE k.key_hash = asked.key_hash AND k.subscription = inside.subscription AND k.failed
                        AND k.letter_id <> ALL (inside.ids)
                        AND (last.commit_timestamp IS NULL
                            OR (k.commit_timestamp, k.server_transaction_id, k.record_sequence)
                                >= (last.commit_timestamp, last.server_transaction_id, last.record_sequence))
                        AND NOT %s
                    ORDER BY 1, 2, 3 LIMIT 1)
                ORDER BY 1, 2, 3 LIMIT 1) AS first""".formatted(OVERTAKEN);

    private static final String LETTERS = """
            SELECT id, reason, kept, letter FROM @dead_letters WHERE id = ANY (?)
            ORDER BY commit_timestamp, server_transaction_id, record_sequence""";

    private static final String IS_HELD_BACK = """
            SELECT EXISTS (SELECT FROM @dead_letter_keys WHERE key_hash = ANY (?) AND subscription = ? AND NOT failed)""";

    private static final String OPEN = open("");

    private static final String NEWEST = open("""
            ORDER BY k.commit_timestamp DESC, k.server_transaction_id DESC, k.record_sequence DESC LIMIT ?""");

    private static String open(String chosen) {
        return """
            WITH open AS MATERIALIZED (
                SELECT k.letter_id, k.commit_timestamp, k.server_transaction_id, k.record_sequence, k.reason,
                    k.reason = 'FAILED' AND %s AS overtaken
                FROM (SELECT id AS letter_id, * FROM @dead_letters) AS k
                WHERE k.subscription = ? AND k.settled IS NULL
                %s
            )
            SELECT open.*, k.table_name, k.key FROM open LEFT JOIN @dead_letter_keys k ON k.letter_id = open.letter_id
            ORDER BY open.commit_timestamp, open.server_transaction_id, open.record_sequence""".formatted(OVERTAKEN, chosen);
    }

    /**
     * Finds the overtaken letters from the last change that passed each key, because a key can have very many changes
     * that passed its letters.
     */
    private static final String COUNTS = """
            SELECT open.*,
                (SELECT count(DISTINCT k.letter_id)
                    FROM (SELECT DISTINCT key_hash FROM @dead_letter_passes
                        WHERE subscription = asked.subscription) AS passed
                    CROSS JOIN LATERAL (
                        SELECT pass.commit_timestamp, pass.server_transaction_id, pass.record_sequence
                        FROM @dead_letter_passes pass
                        WHERE pass.key_hash = passed.key_hash AND pass.subscription = asked.subscription
                        ORDER BY 1 DESC, 2 DESC, 3 DESC LIMIT 1) AS last
                    JOIN @dead_letter_keys k
                        ON k.key_hash = passed.key_hash AND k.subscription = asked.subscription AND k.failed
                        AND (k.commit_timestamp, k.server_transaction_id, k.record_sequence)
                            < (last.commit_timestamp, last.server_transaction_id, last.record_sequence)) AS overtaken,
                (SELECT count(*) FROM @dead_letter_parked_keys WHERE subscription = asked.subscription) AS parked_keys
            FROM (SELECT ?::text) AS asked(subscription)
            CROSS JOIN LATERAL (
                SELECT count(*) FILTER (WHERE reason = 'FAILED') AS failed,
                    count(*) FILTER (WHERE reason = 'PARKED') AS parked,
                    count(*) FILTER (WHERE reason = 'BEHIND_PARKED') AS behind_parked
                FROM @dead_letters WHERE subscription = asked.subscription AND settled IS NULL) AS open""";

    private static final String READ = """
            SELECT l.letter
            FROM unnest(?::numeric[], ?::text[], ?::text[])
                AS i(commit_timestamp, server_transaction_id, record_sequence)
            JOIN @dead_letters l ON l.commit_timestamp = i.commit_timestamp
                AND l.server_transaction_id = i.server_transaction_id AND l.record_sequence = i.record_sequence
            WHERE l.subscription = ? AND l.settled IS NULL
            ORDER BY l.commit_timestamp, l.server_transaction_id, l.record_sequence""";

    private static final String FAILED_KEYS =
            "SELECT DISTINCT table_name, key FROM @dead_letter_keys WHERE subscription = ? AND failed";

    private static final String PRUNE = """
            DELETE FROM @dead_letters WHERE subscription = ? AND settled IS NOT NULL
                AND settled_at < clock_timestamp() - ? * interval '1 microsecond'""";

    record Row(long id, long kept, boolean failed, StoredDeadLetter letter) {
        private static Row read(ResultSet row) throws SQLException {
            return new Row(
                    row.getLong("id"),
                    row.getLong("kept"),
                    Reason.valueOf(row.getString("reason")) == Reason.FAILED,
                    StoredDeadLetter.fromJson(row.getString("letter")));
        }

        private Row keptAsOften(long times) {
            return new Row(id, times, failed, letter);
        }

        RecordIdentity identity() {
            return letter.change().identity();
        }

        List<StoredKey> keys() {
            return StoredKey.of(RecordKey.of(letter.change()));
        }
    }

    Optional<Row> find(Statements transaction, RecordIdentity identity) throws SQLException {
        return transaction.find(FIND, p -> bind(p.text(subscription), identity), Row::read);
    }

    void insert(Statements transaction, StoredDeadLetter letter, String json, List<StoredKey> keys)
            throws SQLException {
        long id = transaction.row(
                INSERT,
                p -> bind(p.text(subscription), letter.change().identity())
                        .text(letter.reason().name())
                        .text(json),
                row -> row.getLong(1));
        transaction.update(
                INSERT_KEYS,
                p -> p.texts(StoredKey.hashes(keys))
                        .texts(keys, StoredKey::tableName)
                        .texts(keys, StoredKey::text)
                        .number(id));
    }

    void keepAgain(Statements transaction, Row letter) throws SQLException {
        transaction.update(KEEP_AGAIN, p -> p.number(letter.id()));
    }

    void replace(Statements transaction, Row letter, String json) throws SQLException {
        transaction.update(REPLACE, p -> p.text(json).number(letter.id()));
    }

    void delete(Statements transaction, Row letter) throws SQLException {
        transaction.update(DELETE, p -> p.number(letter.id()));
    }

    /** Resolves the letters and returns those that were still open and not kept again since they were read. */
    List<Row> resolve(Statements transaction, List<Row> letters, String how) throws SQLException {
        Set<Long> resolved = Set.copyOf(transaction.rows(
                RESOLVE,
                p -> p.text(how).numbers(letters, Row::id).numbers(letters, Row::kept),
                row -> row.getLong(1)));
        transaction.update(DELETE_KEYS, p -> p.numbers(resolved));
        return letters.stream().filter(letter -> resolved.contains(letter.id())).toList();
    }

    /** An open letter that was requested: its place in the request, from 0, its size, and the hashes of its keys. */
    record Asked(int place, long id, long bytes, List<String> keyHashes) {
        private static Asked read(ResultSet row) throws SQLException {
            return new Asked(
                    row.getInt("place") - 1,
                    row.getLong("id"),
                    row.getLong("bytes"),
                    Parameters.texts(row, "key_hashes"));
        }
    }

    List<Asked> ask(Statements transaction, List<RecordIdentity> identities) throws SQLException {
        return transaction.rows(ASK, p -> bindAll(p.text(subscription), identities), Asked::read);
    }

    record Listed(long id, long kept, RecordIdentity identity, boolean overtaken, List<String> keyHashes) {}

    /** Returns the letters that are still open, in commit order. */
    List<Listed> list(Statements transaction, List<Asked> letters) throws SQLException {
        Map<Long, List<String>> keyHashes = letters.stream().collect(Collectors.toMap(Asked::id, Asked::keyHashes));
        return transaction.rows(
                LIST,
                p -> p.numbers(keyHashes.keySet()),
                row -> new Listed(
                        row.getLong("letter_id"),
                        row.getLong("kept"),
                        identity(row),
                        row.getBoolean("overtaken"),
                        requireNonNull(keyHashes.get(row.getLong("letter_id")))));
    }

    /** Returns by the hash of a key the first other letter that was not overtaken, if there is one. */
    Map<String, RecordIdentity> firstOutside(Statements transaction, List<Listed> letters) throws SQLException {
        Map<String, RecordIdentity> first = new HashMap<>();
        transaction.rows(
                FIRST_OUTSIDE,
                p -> p.texts(letters.stream()
                                .flatMap(letter -> letter.keyHashes().stream())
                                .distinct()
                                .toList())
                        .text(subscription)
                        .numbers(letters, Listed::id),
                row -> first.put(row.getString("key_hash"), identity(row)));
        return first;
    }

    /**
     * Returns the letters with their contents, in commit order, if they were not kept again since they were listed. A
     * letter that was kept again must not be resolved, because the order of the claim was computed without its new
     * changes.
     */
    List<Row> read(Statements transaction, List<Listed> letters) throws SQLException {
        Map<Long, Long> kept = letters.stream().collect(Collectors.toMap(Listed::id, Listed::kept));
        return transaction.rows(
                LETTERS,
                p -> p.numbers(kept.keySet()),
                row -> Row.read(row).keptAsOften(requireNonNull(kept.get(row.getLong("id")))));
    }

    /** Returns whether an open letter parks one of the keys. */
    boolean isHeldBack(Statements transaction, List<StoredKey> keys) throws SQLException {
        return transaction.row(
                IS_HELD_BACK, p -> p.texts(StoredKey.hashes(keys)).text(subscription), row -> row.getBoolean(1));
    }

    /** Returns the open letters, in commit order. */
    List<DeadLetterStore.Entry> open(Statements transaction) throws SQLException {
        return entries(transaction.rows(OPEN, p -> p.text(subscription), OneKey::read));
    }

    /** Returns the open letters that committed last, the latest first. */
    List<DeadLetterStore.Entry> newest(Statements transaction, int limit) throws SQLException {
        return entries(transaction.rows(NEWEST, p -> p.text(subscription).number(limit), OneKey::read))
                .reversed();
    }

    private static List<DeadLetterStore.Entry> entries(List<OneKey> keys) {
        return keys.stream()
                .collect(Collectors.groupingBy(OneKey::identity, LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(OneKey::entry)
                .toList();
    }

    DeadLetterStore.Counts counts(Statements transaction) throws SQLException {
        return transaction.row(
                COUNTS,
                p -> p.text(subscription),
                row -> new DeadLetterStore.Counts(
                        row.getLong("failed"),
                        row.getLong("overtaken"),
                        row.getLong("parked"),
                        row.getLong("behind_parked"),
                        row.getLong("parked_keys")));
    }

    /**
     * An open letter and one of its keys; the key is null for a letter without keys, such as a row that could not be
     * decoded.
     */
    private record OneKey(
            RecordIdentity identity,
            Reason reason,
            @Nullable RecordKey key,
            boolean overtaken) {
        static OneKey read(ResultSet row) throws SQLException {
            return new OneKey(
                    StoredDeadLetters.identity(row),
                    Reason.valueOf(row.getString("reason")),
                    row.getString("key") == null ? null : StoredKey.read(row),
                    row.getBoolean("overtaken"));
        }

        static DeadLetterStore.Entry entry(List<OneKey> keys) {
            OneKey any = keys.getFirst();
            return new DeadLetterStore.Entry(
                    any.identity,
                    any.reason,
                    keys.stream().flatMap(key -> Stream.ofNullable(key.key)).collect(Collectors.toSet()),
                    any.overtaken);
        }
    }

    List<StoredDeadLetter> read(Statements transaction, Collection<RecordIdentity> identities) throws SQLException {
        List<RecordIdentity> asked = identities.stream().distinct().toList();
        return transaction.rows(
                READ,
                p -> bindAll(p, asked).text(subscription),
                row -> StoredDeadLetter.fromJson(row.getString("letter")));
    }

    List<RecordKey> failedKeys(Statements transaction) throws SQLException {
        return transaction.rows(FAILED_KEYS, p -> p.text(subscription), StoredKey::read);
    }

    int prune(Statements transaction, Duration age) throws SQLException {
        return transaction.update(PRUNE, p -> p.text(subscription).number(JdbcTimestamps.micros(age)));
    }

    /** Binds three arrays. */
    static Parameters bindAll(Parameters parameters, Collection<RecordIdentity> identities) throws SQLException {
        return parameters
                .decimals(identities, identity -> JdbcTimestamps.exact(identity.commitTimestamp()))
                .texts(identities, RecordIdentity::serverTransactionId)
                .texts(identities, RecordIdentity::recordSequence);
    }

    private static RecordIdentity identity(ResultSet row) throws SQLException {
        return new RecordIdentity(
                JdbcTimestamps.instant(row.getBigDecimal("commit_timestamp")),
                row.getString("server_transaction_id"),
                row.getString("record_sequence"));
    }

    static Parameters bind(Parameters parameters, RecordIdentity identity) throws SQLException {
        return parameters
                .decimal(JdbcTimestamps.exact(identity.commitTimestamp()))
                .text(identity.serverTransactionId())
                .text(identity.recordSequence());
    }
}
