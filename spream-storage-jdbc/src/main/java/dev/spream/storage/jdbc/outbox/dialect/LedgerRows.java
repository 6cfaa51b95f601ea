package dev.spream.storage.jdbc.outbox.dialect;

import dev.spream.core.record.Json;
import dev.spream.outbox.LedgerEntry;
import dev.spream.outbox.LedgerResult;
import dev.spream.outbox.LedgerStatus;
import dev.spream.outbox.ReasonCode;
import dev.spream.storage.jdbc.internal.JdbcTimestamps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads ledger rows, including those written by earlier services, which lack some columns. */
public final class LedgerRows {
    /** The columns of the table {@code l} for {@link #read}. */
    public static final String COLUMNS = """
            l.idempotency_key, l.generation, l.request_digest, l.status, l.http_status,
            l.response_payload_json AS response, l.reason_code, l.created_at, l.settled_at""";

    private static final int OK = 200;
    private static final char REPLACEMENT = '\ufffd';

    private LedgerRows() {}

    public static LedgerEntry read(ResultSet row) throws SQLException {
        Optional<LedgerResult> result = result(row);
        return new LedgerEntry(
                row.getString("idempotency_key"),
                row.getInt("generation"),
                row.getString("request_digest"),
                result,
                JdbcTimestamps.clock(row, "created_at"),
                result.isPresent() ? settledAt(row) : Optional.empty());
    }

    private static Optional<Instant> settledAt(ResultSet row) throws SQLException {
        Optional<Instant> settledAt = JdbcTimestamps.optionalClock(row, "settled_at");
        return settledAt.isPresent() ? settledAt : JdbcTimestamps.optionalClock(row, "created_at");
    }

    private static Optional<LedgerResult> result(ResultSet row) throws SQLException {
        Optional<String> response = Optional.ofNullable(row.getString("response"));
        return switch (row.getString("status")) {
            case "succeeded" ->
                Optional.of(new LedgerResult(
                        LedgerStatus.SUCCEEDED,
                        httpStatus(row, LedgerStatus.SUCCEEDED, OK),
                        response,
                        Optional.empty()));
            case "failed" -> {
                ReasonCode reason = reason(row.getString("reason_code"));
                yield Optional.of(new LedgerResult(
                        LedgerStatus.FAILED,
                        httpStatus(row, LedgerStatus.FAILED, reason.httpStatus()),
                        response,
                        Optional.of(reason)));
            }
            default -> Optional.empty();
        };
    }

    /** Returns the stored HTTP status, or the default if a row written by another program has none that is valid. */
    private static int httpStatus(ResultSet row, LedgerStatus ledger, int otherwise) throws SQLException {
        int status = row.getInt("http_status");
        return LedgerResult.isHttpStatusOf(ledger, status) ? status : otherwise;
    }

    /** The stored result code; an invalid one, written by another program, is cut to its valid part. */
    public static ReasonCode reason(@Nullable String stored) {
        if (stored == null) {
            return ReasonCode.INTERNAL_ERROR;
        }
        String code = stored.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9_]", "_");
        try {
            return new ReasonCode(code);
        } catch (IllegalArgumentException e) {
            return ReasonCode.INTERNAL_ERROR;
        }
    }

    /**
     * Returns the text if PostgreSQL accepts it as JSON, and otherwise the text as a JSON string, so that an invalid
     * response does not prevent the settlement of an entry.
     */
    public static String storable(String text) {
        return isJson(text) && !text.contains("\\u0000") ? text : asString(text);
    }

    private static boolean isJson(String text) {
        try {
            Json.parse(text);
            return text.indexOf('\0') < 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static String asString(String text) {
        return Json.text(text.replace('\0', REPLACEMENT));
    }
}
