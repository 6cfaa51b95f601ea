package dev.spream.emulator;

import com.google.cloud.Timestamp;
import com.google.cloud.spanner.DatabaseClient;
import com.google.cloud.spanner.Statement;
import com.google.cloud.spanner.Struct;
import com.google.cloud.spanner.Value;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The changes in a GoogleSQL change stream, as text: table, kind of change, keys, new values and old values. */
final class StreamedMods {
    private StreamedMods() {}

    /** Reads all partitions from {@code start} to {@code end}, both inclusive. */
    static List<String> of(DatabaseClient database, String stream, Timestamp start, Timestamp end) {
        List<String> mods = new ArrayList<>();
        for (Struct root : records(database, stream, start, end, null)) {
            for (Struct children : root.getStructList("child_partitions_record")) {
                for (Struct child : children.getStructList("child_partitions")) {
                    for (Struct record : records(database, stream, start, end, child.getString("token"))) {
                        record.getStructList("data_change_record").forEach(data -> addMods(data, mods));
                    }
                }
            }
        }
        return mods;
    }

    private static void addMods(Struct data, List<String> mods) {
        for (Struct mod : data.getStructList("mods")) {
            mods.add("%s %s %s %s %s"
                    .formatted(
                            data.getString("table_name"),
                            data.getString("mod_type"),
                            mod.getJson("keys"),
                            mod.getJson("new_values"),
                            mod.getJson("old_values")));
        }
    }

    private static List<Struct> records(
            DatabaseClient database, String stream, Timestamp start, Timestamp end, @Nullable String token) {
        Statement query = Statement.newBuilder(
                        "SELECT ChangeRecord FROM READ_" + stream + "(@start, @end, @token, 300000)")
                .bind("start")
                .to(start)
                .bind("end")
                .to(end)
                .bind("token")
                .to(Value.string(token))
                .build();
        return EmulatedSpanner.rows(database.singleUse().executeQuery(query)).stream()
                .flatMap(row -> row.getStructList(0).stream())
                .toList();
    }
}
