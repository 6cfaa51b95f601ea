package dev.spream.storage.jdbc.mirror;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import dev.spream.core.record.ValueCaptureType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Changes of one table, as a change stream tells them. */
final class MirrorChanges {
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private final String table;
    private final List<ColumnType> columns = new ArrayList<>();
    private ValueCaptureType captures = ValueCaptureType.NEW_ROW;

    private MirrorChanges(String table) {
        this.table = table;
    }

    /** Of a table with these columns to come. */
    static MirrorChanges of(String table) {
        return new MirrorChanges(table);
    }

    /** Of a table with the key {@code Id}, an INT64, and the STRING {@code Name}. */
    static MirrorChanges ofNames(String table) {
        return of(table).key("Id", TypeCode.INT64).column("Name", TypeCode.STRING);
    }

    static Instant at(long second) {
        return START.plusSeconds(second);
    }

    MirrorChanges key(String name, TypeCode type) {
        return add(name, SpannerType.of(type), true);
    }

    MirrorChanges column(String name, TypeCode type) {
        return add(name, SpannerType.of(type), false);
    }

    MirrorChanges column(String name, String typeJson) {
        return add(name, new SpannerType(JsonObject.of(typeJson)), false);
    }

    /** Of a stream that captures these values. */
    MirrorChanges capturing(ValueCaptureType type) {
        captures = type;
        return this;
    }

    private MirrorChanges add(String name, SpannerType type, boolean isKey) {
        columns.add(new ColumnType(name, type, isKey, columns.size() + 1));
        return this;
    }

    DataChangeRecord insert(long second, String keys, String values) {
        return change(second, "INSERT", mod(keys, values));
    }

    DataChangeRecord update(long second, String keys, String values) {
        return change(second, "UPDATE", mod(keys, values));
    }

    DataChangeRecord delete(long second, String keys) {
        return change(second, "DELETE", mod(keys, "{}"));
    }

    DataChangeRecord change(long second, String modType, Mod... mods) {
        return new DataChangeRecord(
                at(second),
                "00000000",
                "tx" + second,
                true,
                table,
                columns,
                List.of(mods),
                modType,
                captures.name(),
                1,
                1,
                "",
                false);
    }

    static Mod mod(String keys, String values) {
        return new Mod(JsonObject.of(keys), JsonObject.of(values), JsonObject.EMPTY);
    }
}
