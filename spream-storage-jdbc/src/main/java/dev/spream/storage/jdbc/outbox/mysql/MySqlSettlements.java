package dev.spream.storage.jdbc.outbox.mysql;

import dev.spream.core.StorageException;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.Settlement;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import dev.spream.storage.jdbc.outbox.dialect.SettlementRow;
import dev.spream.storage.jdbc.outbox.mysql.EntryWrites.Change;
import dev.spream.storage.jdbc.outbox.mysql.EntryWrites.Due;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

/**
 * Renews and settles claims. Each call locks, in the order of their ids, the rows that still have the worker's claim
 * token, and writes no others. A row that another session has locked does not delay the others.
 */
record MySqlSettlements(OutboxDatabase database) {
    private static final String READ = """
            SELECT id, claim_token, locked_by, status, idempotency_key, generation, request_digest
            FROM @outbox FORCE INDEX (PRIMARY) WHERE id IN (*)""";

    private static final String LOCK = READ + " ORDER BY id FOR UPDATE SKIP LOCKED";

    private static final String RENEW = """
            UPDATE @outbox SET locked_at = @now, lease_until = @now + INTERVAL ? MICROSECOND, updated_at = @now
            WHERE id IN (*)""";

    /** Selects entries whose lease lasts for that long. */
    private static final String LONG_ENOUGH = """
            SELECT id, claim_token, locked_by, status, idempotency_key, generation, request_digest
            FROM @outbox FORCE INDEX (PRIMARY) WHERE id IN (*) AND lease_until > @now + INTERVAL ? MICROSECOND""";

    /** The maximum number of attempts while other sessions write the same entries or their ledger rows. */
    private static final int ROUNDS = 20;

    private static final Duration PAUSE = Duration.ofMillis(50);

    private static final Change RELEASED =
            new Change("pending", 1, false, Due.AS_BEFORE, Optional.empty(), Optional.empty(), Optional.empty());

    /** An entry as it is stored. */
    private record Stored(
            OutboxClaim.Ref ref, String owner, boolean sending, LedgerLocks.Request request, String digest) {
        static Stored read(ResultSet row) throws SQLException {
            return new Stored(
                    new OutboxClaim.Ref(row.getLong("id"), row.getLong("claim_token")),
                    String.valueOf(row.getString("locked_by")),
                    row.getString("status").equals("sending"),
                    new LedgerLocks.Request(row.getString("idempotency_key"), row.getInt("generation")),
                    row.getString("request_digest"));
        }

        boolean isHeldBy(OutboxOwner worker) {
            return sending && owner.equals(worker.toString());
        }
    }

    /**
     * Renews claims. A locked row is not renewed. It counts as renewed while at least half of its lease is left, because
     * the worker renews again within that time. After that it counts as lost, because the worker would otherwise not
     * detect an expiry.
     */
    Set<OutboxClaim.Ref> renew(OutboxOwner owner, Collection<OutboxClaim.Ref> claims, Duration lease) {
        if (claims.isEmpty()) {
            return Set.of();
        }
        String what = "renewing %d claims of %s".formatted(claims.size(), database.tables());
        return database.inTransaction(what, transaction -> {
            Set<OutboxClaim.Ref> lost = new HashSet<>(claims);
            long micros = JdbcTimestamps.micros(lease);
            List<Long> held = heldOf(lost, owner, rows(transaction, LOCK, ids(claims)));
            if (!held.isEmpty()) {
                transaction.update(Placeholders.in(RENEW, held), p -> Placeholders.numbers(p.number(micros), held));
            }
            if (!lost.isEmpty()) {
                List<Long> locked = ids(lost);
                heldOf(
                        lost,
                        owner,
                        transaction.rows(
                                Placeholders.in(LONG_ENOUGH, locked),
                                p -> Placeholders.numbers(p, locked).number(micros / 2),
                                Stored::read));
            }
            return lost;
        });
    }

    /** Removes the claims that the worker holds by these rows, and returns their ids. */
    private static List<Long> heldOf(Set<OutboxClaim.Ref> claims, OutboxOwner owner, List<Stored> rows) {
        return rows.stream()
                .filter(row -> row.isHeldBy(owner) && claims.remove(row.ref()))
                .map(row -> row.ref().id())
                .toList();
    }

    private static List<Long> ids(Collection<OutboxClaim.Ref> claims) {
        return claims.stream().map(OutboxClaim.Ref::id).distinct().sorted().toList();
    }

    private static List<Stored> rows(Statements transaction, String sql, List<Long> ids) throws SQLException {
        return transaction.rows(Placeholders.in(sql, ids), p -> Placeholders.numbers(p, ids), Stored::read);
    }

    Set<OutboxClaim.Ref> settle(OutboxOwner owner, List<Settlement> settlements) {
        List<SettlementRow> open = settlements.stream().map(SettlementRow::of).toList();
        Set<OutboxClaim.Ref> lost = new HashSet<>();
        for (int round = 0; !open.isEmpty() && round < ROUNDS; round++) {
            if (round > 0) {
                LockSupport.parkNanos(PAUSE.toNanos());
            }
            List<SettlementRow> asked = open;
            open = database.inTransaction(
                    "settling %d entries of %s".formatted(asked.size(), database.tables()),
                    transaction -> new Round(transaction, owner, lost).settle(asked));
        }
        if (!open.isEmpty()) {
            throw new StorageException(
                    "settling %d entries of %s failed: other sessions have locked them or their ledger rows; the call may be retried"
                            .formatted(open.size(), database.tables()),
                    true,
                    null);
        }
        return lost;
    }

    /** One attempt to settle claims. */
    private final class Round {
        private final Statements transaction;
        private final OutboxOwner owner;
        private final Set<OutboxClaim.Ref> lost; // gets the claims that the worker no longer held

        private Round(Statements transaction, OutboxOwner owner, Set<OutboxClaim.Ref> lost) {
            this.transaction = transaction;
            this.owner = owner;
            this.lost = lost;
        }

        /** Settles what can be settled now, the ledger first, and returns the rest. */
        private List<SettlementRow> settle(List<SettlementRow> asked) throws SQLException {
            Map<OutboxClaim.Ref, Stored> locked = byRef(rows(transaction, LOCK, ids(asked)));
            List<SettlementRow> held = new ArrayList<>();
            List<SettlementRow> unlocked = new ArrayList<>();
            for (SettlementRow each : asked) {
                Stored row = locked.get(each.ref());
                (row != null && row.isHeldBy(owner) ? held : unlocked).add(each);
            }
            List<SettlementRow> again = new ArrayList<>(unsettled(unlocked));
            again.addAll(write(held, locked));
            return again;
        }

        private List<Long> ids(List<SettlementRow> rows) {
            return MySqlSettlements.ids(rows.stream().map(SettlementRow::ref).toList());
        }

        private Map<OutboxClaim.Ref, Stored> byRef(List<Stored> rows) {
            Map<OutboxClaim.Ref, Stored> byRef = new HashMap<>();
            rows.forEach(row -> byRef.put(row.ref(), row));
            return byRef;
        }

        /**
         * Returns those that another session has locked. A row that has the token but is not being sent was settled by
         * an earlier call whose confirmation was lost.
         */
        private List<SettlementRow> unsettled(List<SettlementRow> rows) throws SQLException {
            if (rows.isEmpty()) {
                return rows;
            }
            Map<OutboxClaim.Ref, Stored> seen = byRef(rows(transaction, READ, ids(rows)));
            List<SettlementRow> again = new ArrayList<>();
            for (SettlementRow each : rows) {
                Stored row = seen.get(each.ref());
                if (row != null && row.isHeldBy(owner)) {
                    again.add(each);
                } else if (row == null || row.sending()) {
                    lost.add(each.ref());
                }
            }
            return again;
        }

        /** Settles claims whose rows are locked, and returns those whose ledger row another session has locked. */
        private List<SettlementRow> write(List<SettlementRow> held, Map<OutboxClaim.Ref, Stored> rows)
                throws SQLException {
            Map<LedgerLocks.Request, String> digests = new HashMap<>();
            for (SettlementRow each : held) {
                Stored row = rows.get(each.ref());
                if (row != null && !each.name().equals("released")) {
                    digests.put(row.request(), row.digest());
                }
            }
            LedgerLocks ledger = new LedgerLocks(database, transaction);
            Map<LedgerLocks.Request, LedgerLocks.Known> requests = ledger.lock(digests);
            Map<LedgerLocks.Request, LedgerLocks.Result> results = new HashMap<>();
            EntryWrites writes = new EntryWrites();
            List<SettlementRow> again = new ArrayList<>();
            for (SettlementRow each : held) {
                Stored row = rows.get(each.ref());
                if (row == null) {
                    continue;
                }
                LedgerLocks.Known known = requests.get(row.request());
                if (each.name().equals("released")) {
                    writes.add(each.ref().id(), RELEASED);
                } else if (known == null) {
                    again.add(each);
                } else if (!known.digest().equals(row.digest())) {
                    writes.add(each.ref().id(), Change.conflict());
                } else if (known.isSettled()) {
                    writes.add(each.ref().id(), Change.synchronised(known));
                } else {
                    result(each).ifPresent(result -> results.put(row.request(), result));
                    writes.add(each.ref().id(), change(each));
                }
            }
            ledger.book(results);
            writes.write(transaction);
            return again;
        }
    }

    /** Returns the result of a request that has ended. */
    private static Optional<LedgerLocks.Result> result(SettlementRow settlement) {
        return settlement
                .httpStatus()
                .map(status -> settlement.name().equals("succeeded")
                        ? new LedgerLocks.Result("succeeded", status, settlement.response(), Optional.empty())
                        : new LedgerLocks.Result("failed", status, settlement.response(), settlement.reason()));
    }

    private static Change change(SettlementRow settlement) {
        return switch (settlement.name()) {
            case "succeeded", "aborted" -> Change.settled(settlement.name(), settlement.reason(), settlement.message());
            case "parked" -> failed(settlement, 0, Due.NEVER);
            case "tried" -> failed(settlement, 1, Due.in(settlement.delayMicros()));
            default -> failed(settlement, 0, Due.in(settlement.delayMicros()));
        };
    }

    private static Change failed(SettlementRow settlement, int uncounted, Due due) {
        return new Change(
                "failed",
                uncounted,
                false,
                due,
                Optional.of(settlement.outcomeUnknown()),
                settlement.reason(),
                settlement.message());
    }
}
