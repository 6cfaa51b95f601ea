package dev.spream.storage.jdbc.event;

import dev.spream.core.Sha256;
import java.util.HexFormat;

/**
 * The numbers of advisory locks about events. They are pairs: what the lock is for, and which table it is of, by the table's
 * own number. Locks of rows and keys elsewhere in spream have single numbers, which PostgreSQL keeps apart from pairs.
 *
 * @see <a href="https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS">PostgreSQL: advisory locks</a>
 */
final class EventLocks {
    /** Shared by whoever inserts, until its transaction ends. */
    static final int BARRIER = 0x73704576;

    /** Shared by readers that wait to be notified. */
    static final int SLEEPERS = 0x7370457a;

    /** Of one aggregate, alone, by whoever lost to somebody else and tries again; the other number is a hash. */
    static final int AGGREGATE = 0x73704561;

    private static final int HASH_BYTES = 8;

    private EventLocks() {}

    /** Names the channel of PostgreSQL on which sleeping readers are told: an identifier, however long the table's name is. */
    static String channel(EventTable table) {
        return "spream_events_" + HexFormat.of().formatHex(Sha256.of(table.toString()), 0, HASH_BYTES);
    }
}
