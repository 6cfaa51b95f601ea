package dev.spream.emulator.internal.upstream;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.Value;
import com.google.spanner.v1.Type;
import dev.spream.emulator.internal.sql.Dialect;
import dev.spream.emulator.internal.sql.PartitionMode;
import dev.spream.emulator.internal.sql.Types;
import dev.spream.emulator.internal.sql.Values;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change stream of the other server, read in steps from its creation on. A step has an end that has passed: queries
 * without one would leave out changes at the ends of their internal slices. Confined to the clock of its database.
 */
final class UpstreamStream {
    private static final Duration MIN_RETENTION = Duration.ofDays(1);
    private static final Duration MAX_RETENTION = Duration.ofDays(30);
    private static final Duration RETENTION_MARGIN = Duration.ofSeconds(10);
    private static final String CHILDREN = "child_partitions_record";
    private static final String HEARTBEAT_MILLIS = "300000";

    private final UpstreamClient client;
    private final String name;
    private final Dialect dialect;
    private final Set<String> known = new HashSet<>();
    private Map<String, Instant> live = new LinkedHashMap<>(); // by token, the first instant of each
    private Instant created;
    private Instant readTo;

    private UpstreamStream(UpstreamClient client, String name, Dialect dialect, Instant created) {
        this.client = client;
        this.name = name;
        this.dialect = dialect;
        this.created = created;
        this.readTo = created.minus(1, ChronoUnit.MICROS);
    }

    /** Opens a stream at the first instant at which it can be read. */
    static UpstreamStream open(UpstreamClient client, String name, Dialect dialect) {
        UpstreamStream stream = new UpstreamStream(client, name, dialect, Instant.EPOCH);
        stream.reopen();
        return stream;
    }

    /**
     * Begins anew at the first instant at which the stream can be read, since what was next is not kept any more. What has
     * been read is not read again.
     */
    void reopen() {
        created = firstReadable();
        Instant before = created.minus(1, ChronoUnit.MICROS);
        readTo = readTo.isAfter(before) ? readTo : before;
        known.clear();
        live = new LinkedHashMap<>();
    }

    /** Returns the creation of the stream, or an instant shortly after the end of the retention period. */
    Instant firstReadable() {
        Instant now = client.readTimestamp();
        Instant readable = now;
        Instant tooOld = now.minus(MAX_RETENTION);
        while (tooOld.until(readable, ChronoUnit.MICROS) > 1) {
            Instant middle = tooOld.plus(tooOld.until(readable, ChronoUnit.MICROS) / 2, ChronoUnit.MICROS);
            if (isReadable(middle)) {
                readable = middle;
            } else {
                tooOld = middle;
            }
        }
        boolean retained = readable.until(now, ChronoUnit.HOURS) >= MIN_RETENTION.toHours() - 1;
        return retained ? readable.plus(RETENTION_MARGIN) : readable;
    }

    /**
     * Returns whether the other server has another stream of this name now: one that begins later, though what this one
     * had is still within the retention period.
     */
    boolean isReplaced() {
        return !isReadable(created)
                && Duration.between(firstReadable(), client.readTimestamp())
                                .plusHours(1)
                                .compareTo(MIN_RETENTION)
                        < 0;
    }

    private boolean isReadable(Instant start) {
        try {
            query(start, null, null);
            return true;
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() == Status.Code.OUT_OF_RANGE) {
                return false;
            }
            throw e;
        }
    }

    String name() {
        return name;
    }

    Instant created() {
        return created;
    }

    boolean isBehind(Instant until) {
        return readTo.isBefore(until);
    }

    Instant halfWayTo(Instant until) {
        return readTo.plus(readTo.until(until, ChronoUnit.MICROS) / 2 + 1, ChronoUnit.MICROS);
    }

    /** A step: the records after the one before it, in commit order, and the partitions that are live or new at its end. */
    record Step(Instant until, List<UpstreamRecord> records, Map<String, Instant> live, Set<String> found) {}

    /** Reads the next step; it counts when it is {@link #taken}. */
    Step readTo(Instant until) {
        Map<String, Instant> stillLive = new LinkedHashMap<>();
        List<UpstreamRecord> records = new ArrayList<>();
        Set<String> found = new HashSet<>();
        Queue<Map.Entry<String, Instant>> unread = new ArrayDeque<>(live.entrySet());
        if (known.isEmpty()) {
            query(created, null, null).forEach(record -> unread.addAll(children(record, found)));
        }
        while (!unread.isEmpty()) {
            Map.Entry<String, Instant> partition = unread.remove();
            boolean ended = false;
            if (!partition.getValue().isAfter(until)) {
                for (JsonObject row : partition(partition.getKey(), partition.getValue(), until)) {
                    ended |= row.has(CHILDREN);
                    unread.addAll(children(row, found));
                    addRecord(row, records);
                }
            }
            if (!ended) {
                stillLive.put(partition.getKey(), partition.getValue());
            }
        }
        records.sort(UpstreamRecord.COMMIT_ORDER);
        return new Step(until, records, stillLive, found);
    }

    void taken(Step step) {
        known.addAll(step.found());
        live = step.live();
        readTo = step.until();
    }

    /** Returns the partitions that a record names for the first time. */
    private List<Map.Entry<String, Instant>> children(JsonObject row, Set<String> found) {
        if (!row.has(CHILDREN)) {
            return List.of();
        }
        JsonObject record = row.getAsJsonObject(CHILDREN);
        Instant start = UpstreamRecord.instant(record.get("start_timestamp"));
        List<Map.Entry<String, Instant>> children = new ArrayList<>();
        for (JsonElement child : record.getAsJsonArray("child_partitions")) {
            String token = child.getAsJsonObject().get("token").getAsString();
            if (!known.contains(token) && found.add(token)) {
                children.add(Map.entry(token, start));
            }
        }
        return children;
    }

    private void addRecord(JsonObject row, List<UpstreamRecord> records) {
        JsonObject json = row.getAsJsonObject("data_change_record");
        if (json != null && UpstreamRecord.instant(json.get("commit_timestamp")).isAfter(readTo)) {
            records.add(UpstreamRecord.of(json));
        }
    }

    /** Reads a partition from the last step on, or from its start if it turns out to have ended before. */
    private List<JsonObject> partition(String token, Instant start, Instant until) {
        if (!start.isBefore(readTo)) {
            return query(start, until, token);
        }
        try {
            return query(readTo, until, token);
        } catch (StatusRuntimeException e) {
            if (e.getStatus().getCode() != Status.Code.OUT_OF_RANGE) {
                throw e;
            }
            return query(start, until, token);
        }
    }

    private List<JsonObject> query(Instant start, @Nullable Instant end, @Nullable String token) {
        List<Value> arguments = List.of(
                Values.string(start.toString()),
                end == null ? Values.NULL : Values.string(end.toString()),
                token == null ? Values.NULL : Values.string(token),
                Values.string(HEARTBEAT_MILLIS));
        List<Type> types = List.of(Types.TIMESTAMP, Types.TIMESTAMP, Types.STRING, Types.INT64);
        Map<String, Value> parameters = new LinkedHashMap<>();
        Map<String, Type> parameterTypes = new LinkedHashMap<>();
        for (int i = 0; i < arguments.size(); i++) {
            parameters.put("p" + (i + 1), arguments.get(i));
            parameterTypes.put("p" + (i + 1), types.get(i));
        }
        String function = dialect.readFunction(name, PartitionMode.IMMUTABLE_KEY_RANGE);
        String sql = dialect == Dialect.POSTGRESQL
                ? "SELECT * FROM spanner.\"" + function + "\"($1, $2, $3, $4, NULL)"
                : "SELECT ChangeRecord FROM `" + function + "`(@p1, @p2, @p3, @p4)";
        return ResultJson.records(client.changes(sql, parameters, parameterTypes));
    }
}
