package dev.spream.storage.jdbc.deadletter;

import static java.util.Objects.requireNonNull;

import dev.spream.core.DurationText;
import dev.spream.core.ExponentialBackoff;
import dev.spream.core.StorageException;
import dev.spream.core.consume.DeadLetter;
import dev.spream.core.consume.DeadLetter.Reason;
import dev.spream.core.consume.DeadLetterException;
import dev.spream.core.consume.DeadLetterStore;
import dev.spream.core.consume.RecordKey;
import dev.spream.core.consume.StoredDeadLetter;
import dev.spream.core.partition.PartitionLease;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.RecordIdentity;
import dev.spream.storage.jdbc.internal.MigratedTables;
import dev.spream.storage.jdbc.internal.SchemaName;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.internal.TablesBuilder;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A {@link DeadLetterStore} in PostgreSQL 14 or newer, for any number of processes at once: the workers of a
 * subscription, and replays. One schema can have the letters of several subscriptions; each instance serves one of
 * them. The schema may be that of the partition storage, or another one, in another database.
 *
 * <p>A letter is stored as the JSON object of {@link dev.spream.core.consume.StoredDeadLetter#toJson()}. It may be as
 * large as one value of PostgreSQL, just below 1 GB, and has to be sent within the time limit of a statement. Letters
 * that were replayed or discarded are removed later, see {@link Builder#resolvedRetention}.
 *
 * <p>Safe for use by many threads. Each call takes a connection and returns it at its end; a {@link #claim} holds one
 * until it is closed. The caller owns the data source and closes it after the store. A call that fails because of the
 * server or the network is retried for half a minute.
 *
 * <p>Correctness:
 *
 * <ul>
 *   <li>Each change of a key's rows holds a lock on the key's state, for one short transaction at READ COMMITTED. So
 *       the changes of a key are serial, in all processes.
 *   <li>A claim is an exclusive lock held by a transaction that stays open, and deliveries share that lock. It ends
 *       with the transaction, at the latest with its process. Both kinds are transaction-level advisory locks, which
 *       also work through a pooler in transaction mode such as PgBouncer, where session-level locks do not. A claim
 *       holds no row lock and no snapshot.
 *   <li>A delivery costs no statement unless one of its keys may have an open letter that failed. A store has these
 *       keys in memory: a key is in one partition at a time, and only the store of the partition's last owner can keep
 *       letters of it. The store reads the earlier letters when the partition is acquired, and keeps the later ones
 *       itself. The row of the partition decides about a letter that the former owner is keeping at that moment: it is
 *       committed before the acquisition, or refused.
 * </ul>
 */
public final class JdbcDeadLetterStore implements DeadLetterStore, AutoCloseable {
    static final Duration DEFAULT_STATEMENT_TIMEOUT = Duration.ofSeconds(5);
    static final Duration DEFAULT_RESOLVED_RETENTION = Duration.ofDays(7);

    private static final int MAX_NAME_LENGTH = 200;

    private static final MigratedTables TABLES = new MigratedTables(
            "the dead letters",
            "dev/spream/storage/jdbc/deadletter",
            "dead_letter_history",
            1,
            "migrate(true), in a configuration dead-letters.jdbc.migrate=true");

    /** The maximum memory of the letters of one claim; a single letter may exceed it. */
    private static final long MAX_CLAIMED_BYTES = 16L << 20;

    private static final Duration FIRST_WAIT = Duration.ofMillis(20);
    private static final Duration MAX_WAIT = Duration.ofMillis(500);

    /**
     * Settings of a transaction that lasts as long as a consumer may take, and that the server ends soon after the
     * client's machine has vanished.
     */
    private static final String LONG_CLAIM = """
            SELECT set_config('idle_in_transaction_session_timeout', '0', true),
                set_config('tcp_keepalives_idle', '10', true),
                set_config('tcp_keepalives_interval', '5', true),
                set_config('tcp_keepalives_count', '3', true)""";

    private final String subscription;
    private final DeadLetterDatabase database;
    private final DeadLetterLocks locks;
    private final StoredDeadLetters letters;
    private final OvertakenTable passes;
    private final ParkedKeyTable parked;
    private final PartitionTable partitions;
    private final OpenDeadLetterKeys openKeys = new OpenDeadLetterKeys();

    private JdbcDeadLetterStore(DeadLetterDatabase database, SchemaName schema, String subscription) {
        this.subscription = subscription;
        this.database = database;
        this.locks = new DeadLetterLocks(schema, subscription);
        this.letters = new StoredDeadLetters(subscription);
        this.passes = new OvertakenTable(subscription, locks);
        this.parked = new ParkedKeyTable(subscription);
        this.partitions = new PartitionTable(subscription);
    }

    /**
     * Opens the dead letters of that subscription in the schema {@code spream}. Creates the schema and migrates its
     * tables where needed, which takes three connections at the same time.
     *
     * @param subscription its name in this database, 1 to 200 characters
     * @throws StorageException if the database cannot be reached, or its tables are not as expected
     */
    public static JdbcDeadLetterStore create(DataSource dataSource, String subscription) throws InterruptedException {
        return builder(dataSource, subscription).build();
    }

    public static Builder builder(DataSource dataSource, String subscription) {
        return new Builder(dataSource, subscription);
    }

    @Override
    public void accept(DeadLetter letter) throws InterruptedException {
        keep(letter, false);
    }

    @Override
    public boolean acceptIfParked(DeadLetter letter) throws InterruptedException {
        return keep(letter, true);
    }

    private boolean keep(DeadLetter letter, boolean onlyIfParked) throws InterruptedException {
        StoredDeadLetter stored = StoredDeadLetter.of(letter);
        String json = readableJson(stored);
        Set<RecordKey> recordKeys = RecordKey.of(letter.change());
        List<StoredKey> keys = StoredKey.of(recordKeys);
        try {
            return database.run("keeping %s".formatted(naming(letter.change().identity())), transaction -> {
                locks.lockStates(transaction, keys);
                partitions.requireOwn(transaction, letter.partition());
                if (onlyIfParked && !parked.isParked(transaction, keys)) {
                    return false;
                }
                keep(transaction, stored, json, keys);
                return true;
            });
        } finally {
            if (letter.reason() == Reason.FAILED) {
                openKeys.add(recordKeys);
            }
        }
    }

    private void keep(Statements transaction, StoredDeadLetter letter, String json, List<StoredKey> keys)
            throws SQLException {
        RecordIdentity identity = letter.change().identity();
        boolean failed = letter.reason() == Reason.FAILED;
        StoredDeadLetters.@Nullable Row before =
                letters.find(transaction, identity).orElse(null);
        if (before != null && !before.failed()) {
            letters.keepAgain(transaction, before);
        } else if (before != null && failed) {
            letters.replace(transaction, before, json);
        } else {
            if (before != null) {
                letters.delete(transaction, before);
            }
            letters.insert(transaction, letter, json, keys);
        }
        if (!failed) {
            parked.park(transaction, keys);
        }
        passes.takeBack(transaction, keys, identity);
        passes.clear(transaction, keys);
    }

    /** Returns the JSON to store. Refuses a letter that could not be read back, since it could never be replayed. */
    private static String readableJson(StoredDeadLetter letter) {
        String json = letter.toJson();
        try {
            StoredDeadLetter.fromJson(json);
        } catch (IllegalArgumentException e) {
            throw new DeadLetterException(
                    "a change cannot be stored as a dead letter because it could not be read back: " + e.getMessage(),
                    e);
        }
        if (json.indexOf('\0') >= 0) {
            throw new DeadLetterException(
                    "a change cannot be stored as a dead letter because its JSON has a NUL that is not written as \\u0000");
        }
        return json;
    }

    @Override
    public Set<RecordKey> parkedKeys() throws InterruptedException {
        return database.run("reading the parked keys" + ofSubscription(), parked::all);
    }

    @Override
    public Set<RecordKey> parkedKeys(PartitionLease acquired) throws InterruptedException {
        database.run(
                "taking over the dead letters of partition %s"
                        .formatted(acquired.token().abbreviated()),
                transaction -> {
                    partitions.takeOver(transaction, acquired.token());
                    return true;
                });
        loadOpenKeys();
        return parkedKeys();
    }

    private void loadOpenKeys() throws InterruptedException {
        long mark = openKeys.mark();
        openKeys.load(
                Set.copyOf(
                        database.run("reading the keys of the dead letters" + ofSubscription(), letters::failedKeys)),
                mark);
    }

    @Override
    public List<Entry> openLetters() throws InterruptedException {
        return database.run("reading the dead letters" + ofSubscription(), letters::open);
    }

    @Override
    public List<Entry> newestLetters(int limit) throws InterruptedException {
        if (limit < 1) {
            throw new IllegalArgumentException("limit is %d, must be 1 or more".formatted(limit));
        }
        return database.run(
                "reading the newest dead letters" + ofSubscription(),
                transaction -> letters.newest(transaction, limit));
    }

    @Override
    public Counts counts() throws InterruptedException {
        return database.run("counting the dead letters" + ofSubscription(), letters::counts);
    }

    @Override
    public List<StoredDeadLetter> read(Collection<RecordIdentity> identities) throws InterruptedException {
        return database.run(
                "reading %d dead letters%s".formatted(identities.size(), ofSubscription()),
                transaction -> letters.read(transaction, identities));
    }

    @Override
    public void delivering(DataChangeRecord change) throws InterruptedException {
        if (!openKeys.isLoaded()) {
            loadOpenKeys();
        }
        if (openKeys.isEmpty()) {
            return;
        }
        Set<RecordKey> open = new HashSet<>(RecordKey.of(change));
        open.removeIf(key -> !openKeys.contains(key));
        ExponentialBackoff backoff = new ExponentialBackoff(FIRST_WAIT, MAX_WAIT, ThreadLocalRandom.current());
        while (!open.isEmpty() && !hasPassed(change.identity(), open)) {
            database.pause(backoff.next());
        }
    }

    /** Records which letters the change overtakes; returns false if one of the keys is claimed. */
    private boolean hasPassed(RecordIdentity change, Set<RecordKey> open) throws InterruptedException {
        long mark = openKeys.mark();
        List<StoredKey> keys = StoredKey.of(open);
        OvertakenTable.Answer answer = database.run("delivering past dead letters" + ofSubscription(), transaction -> {
            OvertakenTable.Answer asked = passes.ask(transaction, keys, change);
            if (asked.free() && asked.passes()) {
                locks.lockStates(transaction, keys);
                passes.pass(transaction, keys, change);
            }
            return asked;
        });
        openKeys.forget(
                open.stream()
                        .filter(key ->
                                !answer.failed().contains(StoredKey.of(key).hash()))
                        .toList(),
                mark);
        return answer.free();
    }

    @Override
    public Claim claim(List<RecordIdentity> identities, boolean evenIfOvertaken) throws InterruptedException {
        String what = identities.size() == 1
                ? naming(identities.getFirst())
                : "%d dead letters%s".formatted(identities.size(), ofSubscription());
        return database.open("claiming " + what, (transaction, statements) -> {
            List<StoredDeadLetters.Asked> open = letters.ask(statements, identities);
            List<StoredDeadLetters.Asked> asked = open.subList(0, fitting(open));
            int considered = asked.size() < open.size() ? open.get(asked.size()).place() : identities.size();
            List<StoredDeadLetters.Listed> claimed = claimed(statements, asked, evenIfOvertaken);
            List<StoredDeadLetters.Row> rows = List.of();
            if (claimed.isEmpty()) {
                transaction.close();
            } else {
                statements.rows(LONG_CLAIM, p -> {}, row -> row.getString(1));
                rows = letters.read(statements, claimed);
            }
            return new ReplayClaim(
                    transaction, rows, considered, what, (taken, releasing) -> replayed(statements, taken, releasing));
        });
    }

    /** Returns how many of the letters may be in memory together, at least 1. */
    private static int fitting(List<StoredDeadLetters.Asked> letters) {
        long bytes = 0;
        for (int i = 0; i < letters.size(); i++) {
            bytes += letters.get(i).bytes();
            if (i > 0 && bytes > MAX_CLAIMED_BYTES) {
                return i;
            }
        }
        return letters.size();
    }

    /** Returns the letters as they are after their keys were claimed, up to the first whose predecessor is missing. */
    private List<StoredDeadLetters.Listed> claimed(
            Statements transaction, List<StoredDeadLetters.Asked> asked, boolean evenIfOvertaken) throws SQLException {
        if (asked.isEmpty()) {
            return List.of();
        }
        Set<Long> taken = locks.tryClaims(transaction, hashes(asked));
        List<StoredDeadLetters.Listed> listed = letters.list(transaction, asked);
        ClaimOrder order = new ClaimOrder(letters.firstOutside(transaction, listed));
        for (StoredDeadLetters.Listed letter : listed) {
            boolean isFree = taken.containsAll(DeadLetterLocks.numbersOf(letter.keyHashes()));
            order.add(letter, isFree && (evenIfOvertaken || !letter.overtaken()));
        }
        return order.claimed();
    }

    private static Set<String> hashes(List<StoredDeadLetters.Asked> letters) {
        return letters.stream().flatMap(letter -> letter.keyHashes().stream()).collect(Collectors.toSet());
    }

    private Set<RecordKey> replayed(Statements transaction, List<StoredDeadLetters.Row> taken, boolean releasing)
            throws SQLException {
        List<StoredKey> keys =
                taken.stream().flatMap(row -> row.keys().stream()).distinct().toList();
        locks.lockStates(transaction, keys);
        List<StoredDeadLetters.Row> resolved = letters.resolve(transaction, taken, "REPLAYED");
        passes.clear(transaction, keys);
        passes.pass(transaction, resolved);
        return releasing ? parked.releaseFree(transaction, keys) : Set.of();
    }

    @Override
    public boolean discard(RecordIdentity identity) throws InterruptedException {
        return database.run("discarding %s".formatted(naming(identity)), transaction -> {
            Optional<StoredDeadLetters.Row> letter = claimed(transaction, identity);
            if (letter.isEmpty()) {
                return false;
            }
            List<StoredKey> keys = letter.get().keys();
            locks.lockStates(transaction, keys);
            boolean discarded = !letters.resolve(transaction, List.of(letter.get()), "DISCARDED")
                    .isEmpty();
            passes.clear(transaction, keys);
            return discarded;
        });
    }

    /** Returns the letter as it is after its keys were claimed. */
    private Optional<StoredDeadLetters.Row> claimed(Statements transaction, RecordIdentity identity)
            throws SQLException {
        Optional<StoredDeadLetters.Row> found = letters.find(transaction, identity);
        return found.isPresent() && locks.tryClaim(transaction, found.get().keys())
                ? letters.find(transaction, identity)
                : Optional.empty();
    }

    @Override
    public boolean release(Set<RecordKey> released) throws InterruptedException {
        List<StoredKey> keys = StoredKey.of(released);
        return database.run("releasing %d keys%s".formatted(keys.size(), ofSubscription()), transaction -> {
            locks.lockStates(transaction, keys);
            if (letters.isHeldBack(transaction, keys)) {
                return false;
            }
            parked.release(transaction, keys);
            return true;
        });
    }

    private String naming(RecordIdentity identity) {
        return "dead letter %s%s".formatted(identity, ofSubscription());
    }

    private String ofSubscription() {
        return " of subscription '%s'".formatted(subscription);
    }

    /** Makes further calls fail. Open claims stay open until they are closed; the data source is left open. */
    @Override
    public void close() {
        database.close();
    }

    /**
     * Options of a store. The statement timeout, 5 seconds by default, should be longer where changes of many megabytes
     * are sent over a slow network.
     */
    public static final class Builder extends TablesBuilder<Builder> {
        private final String subscription;
        private Duration resolvedRetention = DEFAULT_RESOLVED_RETENTION;

        private Builder(DataSource dataSource, String subscription) {
            super(dataSource, DEFAULT_STATEMENT_TIMEOUT);
            this.subscription = requireSubscription(requireNonNull(subscription, "subscription"), MAX_NAME_LENGTH);
        }

        /**
         * Sets how long a letter stays stored after it was replayed or discarded; 7 days by default. Older ones are
         * removed when a store is opened. Open letters are never removed.
         */
        public Builder resolvedRetention(Duration resolvedRetention) {
            if (resolvedRetention.isNegative()) {
                throw new IllegalArgumentException(
                        "resolvedRetention must not be negative, was " + DurationText.of(resolvedRetention));
            }
            this.resolvedRetention = resolvedRetention;
            return this;
        }

        /**
         * Builds the store, after the tables were migrated or checked.
         *
         * @throws StorageException if the database cannot be reached, or its tables are not as expected
         */
        public JdbcDeadLetterStore build() throws InterruptedException {
            ensure(TABLES);
            JdbcDeadLetterStore store = new JdbcDeadLetterStore(
                    new DeadLetterDatabase(dataSource(), schema(), statementTimeout()), schema(), subscription);
            store.prune(resolvedRetention);
            return store;
        }
    }

    private void prune(Duration resolvedRetention) throws InterruptedException {
        database.run("removing resolved dead letters" + ofSubscription(), transaction -> {
            partitions.prune(transaction);
            return letters.prune(transaction, resolvedRetention);
        });
    }
}
