package dev.spream.emulator.internal.stream;

import com.google.protobuf.Value;
import java.time.Instant;
import java.util.List;

/** A row of a change stream query, in GoogleSQL or as a proto, taken apart. */
sealed interface ReadRow {

    record Data(
            Instant commit,
            String sequence,
            String transaction,
            boolean last,
            String table,
            List<Column> columns,
            List<Mod> mods,
            String kind,
            String capture,
            int records,
            int partitions,
            String tag)
            implements ReadRow {
        List<String> keys() {
            return mods.stream().map(Mod::keys).toList();
        }

        List<String> columnNames() {
            return columns.stream().map(Column::name).toList();
        }
    }

    record Column(String name, String type, boolean key, int position) {}

    record Mod(String keys, String newValues, String oldValues) {}

    record Heartbeat(Instant at) implements ReadRow {}

    record Children(Instant start, String sequence, List<Child> children) implements ReadRow {
        List<String> tokens() {
            return children.stream().map(Child::token).toList();
        }
    }

    record Child(String token, List<String> parents) {}

    record Event(Instant at, String sequence, String token, List<String> sources, List<String> destinations)
            implements ReadRow {}

    record End(Instant at, String sequence, String token) implements ReadRow {}

    /** Its timestamp. */
    default Instant time() {
        return switch (this) {
            case Data data -> data.commit();
            case Heartbeat heartbeat -> heartbeat.at();
            case Children children -> children.start();
            case Event event -> event.at();
            case End end -> end.at();
        };
    }

    static ReadRow of(Value row) {
        if (row.hasStringValue()) {
            return ProtoRow.of(row.getStringValue());
        }
        List<Value> kinds = list(list(row).getFirst());
        if (!list(kinds.get(0)).isEmpty()) {
            return data(list(list(kinds.get(0)).getFirst()));
        }
        if (!list(kinds.get(1)).isEmpty()) {
            return new Heartbeat(instant(list(list(kinds.get(1)).getFirst()).getFirst()));
        }
        return children(list(list(kinds.get(2)).getFirst()));
    }

    private static Data data(List<Value> f) {
        return new Data(
                instant(f.get(0)),
                text(f.get(1)),
                text(f.get(2)),
                f.get(3).getBoolValue(),
                text(f.get(4)),
                list(f.get(5)).stream().map(ReadRow::column).toList(),
                list(f.get(6)).stream().map(ReadRow::mod).toList(),
                text(f.get(7)),
                text(f.get(8)),
                Integer.parseInt(text(f.get(9))),
                Integer.parseInt(text(f.get(10))),
                text(f.get(11)));
    }

    private static Column column(Value value) {
        List<Value> f = list(value);
        return new Column(text(f.get(0)), text(f.get(1)), f.get(2).getBoolValue(), Integer.parseInt(text(f.get(3))));
    }

    private static Mod mod(Value value) {
        List<Value> f = list(value);
        return new Mod(text(f.get(0)), text(f.get(1)), text(f.get(2)));
    }

    private static Children children(List<Value> f) {
        return new Children(
                instant(f.get(0)),
                text(f.get(1)),
                list(f.get(2)).stream().map(ReadRow::child).toList());
    }

    private static Child child(Value value) {
        List<Value> f = list(value);
        return new Child(
                text(f.get(0)), list(f.get(1)).stream().map(ReadRow::text).toList());
    }

    private static List<Value> list(Value value) {
        return value.getListValue().getValuesList();
    }

    private static String text(Value value) {
        return value.getStringValue();
    }

    private static Instant instant(Value value) {
        return Instant.parse(text(value));
    }
}
