package dev.spream.storage.jdbc.outbox.mysql;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import dev.spream.outbox.ReasonCode;
import dev.spream.storage.jdbc.internal.Statements;
import dev.spream.storage.jdbc.outbox.dialect.OutboxDatabase;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** The requests of entries in the ledger, read and written within a transaction. */
record LedgerLocks(OutboxDatabase database, Statements transaction) {
    private static final String READ = """
            SELECT idempotency_key, generation, request_digest, status, reason_code FROM @ledger
            WHERE idempotency_key IN (*) ORDER BY idempotency_key, generation""";

    private static final String LOCK = READ + " FOR UPDATE SKIP LOCKED";

    private static final String BEGIN = """
            INSERT INTO @ledger (idempotency_key, generation, request_digest, status, created_at, updated_at)
            VALUES (?, ?, ?, 'in_progress', @now, @now)""";

    private static final String BOOK = """
            UPDATE @ledger SET status = ?, http_status = ?, response_payload_json = ?, reason_code = ?,
                updated_at = @now, settled_at = @now
            WHERE idempotency_key IN (*) AND generation = ?""";

    /** A generation of a key. */
    record Request(String key, int generation) {}

    /** @param digest the digest of the request that has the key */
    record Known(Request request, String digest, String status, Optional<String> reason) {
        static Known read(ResultSet row) throws SQLException {
            return new Known(
                    new Request(row.getString("idempotency_key"), row.getInt("generation")),
                    row.getString("request_digest"),
                    row.getString("status"),
                    Optional.ofNullable(row.getString("reason_code")));
        }

        boolean isSettled() {
            return !status.equals("in_progress");
        }

        boolean hasSucceeded() {
            return status.equals("succeeded");
        }

        /** Returns the reason of a failure. */
        String failure() {
            return reason.orElse(ReasonCode.INTERNAL_ERROR.value());
        }
    }

    /** A result to record. */
    record Result(String status, int httpStatus, Optional<String> response, Optional<String> reason) {}

    /** A result and the generation that gets it. */
    private record Booking(Result result, int generation) {}

    /** Reads the requests without locking them. */
    Map<Request, Known> read(Collection<Request> requests) throws SQLException {
        return rows(READ, requests);
    }

    /**
     * Locks the requests, and adds those that the ledger lacks. Requests that another transaction has locked are left
     * out.
     *
     * @param digests the digests of the requests
     */
    Map<Request, Known> lock(Map<Request, String> digests) throws SQLException {
        Map<Request, Known> locked = new HashMap<>(rows(LOCK, digests.keySet()));
        Set<Request> left = digests.keySet().stream()
                .filter(request -> !locked.containsKey(request))
                .collect(toSet());
        if (!left.isEmpty()) {
            left.removeAll(rows(READ, left).keySet());
            for (Request request : left) {
                String digest = digests.getOrDefault(request, "");
                if (begin(request, digest)) {
                    locked.put(request, new Known(request, digest, "in_progress", Optional.empty()));
                }
            }
        }
        return locked;
    }

    private Map<Request, Known> rows(String sql, Collection<Request> requests) throws SQLException {
        if (requests.isEmpty()) {
            return Map.of();
        }
        List<String> keys =
                requests.stream().map(Request::key).distinct().sorted().toList();
        return transaction.rows(Placeholders.in(sql, keys), p -> Placeholders.texts(p, keys), Known::read).stream()
                .filter(known -> requests.contains(known.request()))
                .collect(toMap(Known::request, Function.identity()));
    }

    /** Adds a request that is in progress, unless the ledger has it; returns whether it was added. */
    boolean begin(Request request, String digest) throws SQLException {
        return database.insertIfAbsent(
                transaction,
                BEGIN,
                p -> p.text(request.key()).number(request.generation()).text(digest));
    }

    /** Records results of locked requests. */
    void book(Map<Request, Result> results) throws SQLException {
        Map<Booking, List<Request>> alike = results.entrySet().stream()
                .collect(groupingBy(
                        entry -> new Booking(entry.getValue(), entry.getKey().generation()),
                        mapping(Map.Entry::getKey, toList())));
        for (Map.Entry<Booking, List<Request>> each : alike.entrySet()) {
            Result result = each.getKey().result();
            List<String> keys =
                    each.getValue().stream().map(Request::key).sorted().toList();
            transaction.update(
                    Placeholders.in(BOOK, keys),
                    p -> Placeholders.texts(
                                    p.text(result.status())
                                            .number(result.httpStatus())
                                            .optionalText(result.response())
                                            .optionalText(result.reason()),
                                    keys)
                            .number(each.getKey().generation()));
        }
    }
}
