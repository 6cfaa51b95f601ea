package dev.spream.differential;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Dialect;
import com.google.cloud.spanner.ResultSet;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads a change stream to an end with nothing but queries: the root, its partitions, their children. */
final class ChangeReader {
    private static final long HEARTBEAT_MILLIS = 10_000;

    private final DatabaseClient database;
    private final Dialect dialect;
    private final String stream;
    private final Timestamp end;

    ChangeReader(DatabaseClient database, Dialect dialect, String stream, Timestamp end) {
        this.database = database;
        this.dialect = dialect;
        this.stream = stream;
        this.end = end;
    }

    private record Partition(@Nullable String token, Timestamp start) {}

    /** All data change records from {@code start} to the end, each in the JSON shape of the PostgreSQL dialect. */
    List<JsonObject> read(Timestamp start) {
        List<JsonObject> data = new ArrayList<>();
        Set<String> known = new HashSet<>();
        Queue<Partition> open = new ArrayDeque<>(List.of(new Partition(null, start)));
        for (Partition next = open.poll(); next != null; next = open.poll()) {
            for (JsonObject record : query(next)) {
                if (record.has("data_change_record")) {
                    data.add(record.getAsJsonObject("data_change_record"));
                }
                if (record.has("child_partitions_record")) {
                    open.addAll(children(record.getAsJsonObject("child_partitions_record"), known));
                }
            }
        }
        return data;
    }

    /** The type of a query's rows, in the client's words. */
    String resultType(Timestamp start) {
        try (ResultSet rows = database.singleUse().executeQuery(statement(new Partition(null, start)))) {
            rows.next();
            return rows.getType().toString();
        }
    }

    private List<Partition> children(JsonObject record, Set<String> known) {
        Timestamp start = Timestamp.parseTimestamp(
                record.get("start_timestamp").getAsString().replace("+00:00", "Z"));
        List<Partition> children = new ArrayList<>();
        for (JsonElement child : record.getAsJsonArray("child_partitions")) {
            String token = child.getAsJsonObject().get("token").getAsString();
            if (start.compareTo(end) <= 0 && known.add(token)) {
                children.add(new Partition(token, start));
            }
        }
        return children;
    }

    private List<JsonObject> query(Partition partition) {
        List<JsonObject> records = new ArrayList<>();
        try (ResultSet rows = database.singleUse().executeQuery(statement(partition))) {
            while (rows.next()) {
                if (dialect == Dialect.POSTGRESQL) {
                    records.add(JsonParser.parseString(rows.getPgJsonb(0)).getAsJsonObject());
                } else {
                    for (Struct record : rows.getStructList(0)) {
                        records.add(StructJson.changeRecord(record));
                    }
                }
            }
        }
        return records;
    }

    private Statement statement(Partition partition) {
        String sql = dialect == Dialect.POSTGRESQL
                ? "SELECT * FROM spanner.read_json_" + stream + "($1, $2, $3, $4, null)"
                : "SELECT ChangeRecord FROM READ_" + stream + "(start_timestamp => @p1, end_timestamp => @p2,"
                        + " partition_token => @p3, heartbeat_milliseconds => @p4)";
        return Statement.newBuilder(sql)
                .bind("p1")
                .to(partition.start())
                .bind("p2")
                .to(end)
                .bind("p3")
                .to(partition.token())
                .bind("p4")
                .to(HEARTBEAT_MILLIS)
                .build();
    }
}
