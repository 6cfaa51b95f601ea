package dev.spream.storage.jdbc.deadletter;

import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Locks on keys, released when their transaction ends, however it ends. There are two kinds, which are always taken in
 * this order:
 *
 * <ul>
 *   <li>A <em>claim</em> is exclusive for a replay or discard of a letter of the key, and shared by deliveries. It is
 *       tried without waiting.
 *   <li>The <em>state</em> is exclusive for a change of the stored rows of the key, and held for a few statements.
 * </ul>
 *
 * <p>Keys share a thousand locks of each kind, so that a change of very many keys does not fill the server's lock
 * table. If two keys share a lock, a change of one waits briefly for a change of the other, and a claim of one also
 * claims the other.
 */
final class DeadLetterLocks {
    private static final int LOCKS = 1 << 10;

    private static final String STATE =
            "SELECT count(pg_advisory_xact_lock(?::bigint::int, lock::int)) FROM unnest(?::bigint[]) AS locks(lock)";

    private static final String CLAIM =
            "SELECT coalesce(bool_and(pg_try_advisory_xact_lock(?::bigint::int, lock::int)), true) FROM unnest(?::bigint[]) AS locks(lock)";

    private static final String CLAIMS =
            "SELECT lock FROM unnest(?::bigint[]) AS locks(lock) WHERE pg_try_advisory_xact_lock(?::bigint::int, lock::int)";

    /** An expression for other statements: whether the claims of the keys could be shared. Takes two parameters. */
    static final String SHARE_CLAIM =
            "(SELECT bool_and(pg_try_advisory_xact_lock_shared(?::bigint::int, lock::int)) FROM unnest(?::bigint[]) AS locks(lock))";

    private final int claims;
    private final int states;

    DeadLetterLocks(SchemaName schema, String subscription) {
        this.claims = Hashes.number(Hashes.of("spream dead letters, claims", schema.value(), subscription));
        this.states = Hashes.number(Hashes.of("spream dead letters, states", schema.value(), subscription));
    }

    /** Locks the states, waiting for them. All transactions take them in the same order. */
    void lockStates(Statements transaction, Collection<StoredKey> keys) throws SQLException {
        transaction.row(STATE, p -> p.number(states).numbers(numbers(keys)), row -> row.getLong(1));
    }

    boolean tryClaim(Statements transaction, Collection<StoredKey> keys) throws SQLException {
        return transaction.row(CLAIM, p -> p.number(claims).numbers(numbers(keys)), row -> row.getBoolean(1));
    }

    Set<Long> tryClaims(Statements transaction, Collection<String> keyHashes) throws SQLException {
        return Set.copyOf(
                transaction.rows(CLAIMS, p -> p.numbers(numbersOf(keyHashes)).number(claims), row -> row.getLong(1)));
    }

    /** Returns the first parameter of {@link #SHARE_CLAIM}. */
    long claims() {
        return claims;
    }

    /** Returns the second parameter: the locks of the keys, in the order in which to take them. */
    static List<Long> numbers(Collection<StoredKey> keys) {
        return numbersOf(StoredKey.hashes(keys));
    }

    static List<Long> numbersOf(Collection<String> keyHashes) {
        return keyHashes.stream()
                .map(hash -> Math.floorMod(Hashes.number(hash), (long) LOCKS))
                .sorted()
                .distinct()
                .toList();
    }
}
