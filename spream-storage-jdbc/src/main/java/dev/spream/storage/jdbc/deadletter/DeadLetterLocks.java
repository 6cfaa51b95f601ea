package dev.spream.storage.jdbc.deadletter;

import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.Statements;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * Locks on keys that end with their transaction, whatever ends it. Two kinds, which are always taken in this order:
 *
 * <ul>
 *   <li>A <em>claim</em> is exclusive for a replay or discard of a letter of the key, and shared by deliveries. It is
 *       only tried, so no session waits for it in the database.
 *   <li>The <em>state</em> is exclusive for a change of the stored rows of the key, for a few statements.
 * </ul>
 *
 * <p>Keys share a thousand locks of each kind, so that a change of very many keys does not fill the server's lock
 * table. If two keys share a lock, a state costs a short wait, and a claim of one key also claims the other.
 */
final class DeadLetterLocks {
    private static final int LOCKS = 1 << 10;

    private static final String STATE =
            "SELECT count(pg_advisory_xact_lock(?::bigint::int, lock::int)) FROM unnest(?::bigint[]) AS locks(lock)";

    private static final String CLAIM =
            "SELECT coalesce(bool_and(pg_try_advisory_xact_lock(?::bigint::int, lock::int)), true) FROM unnest(?::bigint[]) AS locks(lock)";

    private static final String CLAIMS =
            "SELECT lock FROM unnest(?::bigint[]) AS locks(lock) WHERE pg_try_advisory_xact_lock(?::bigint::int, lock::int)";

    /** For a statement that does more: whether the claims of the keys could be shared. Takes two parameters. */
    static final String SHARE_CLAIM =
            "(SELECT bool_and(pg_try_advisory_xact_lock_shared(?::bigint::int, lock::int)) FROM unnest(?::bigint[]) AS locks(lock))";

    private final int claims;
    private final int states;

    DeadLetterLocks(SchemaName schema, String subscription) {
        this.claims = Hashes.number(Hashes.of("spream dead letters, claims", schema.value(), subscription));
        this.states = Hashes.number(Hashes.of("spream dead letters, states", schema.value(), subscription));
    }

    /** Waits for the states. All transactions take them in the same order. */
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

    /** The first parameter of {@link #SHARE_CLAIM}. */
    long claims() {
        return claims;
    }

    /** The second one: the locks of the keys, in the order in which to take them. */
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
