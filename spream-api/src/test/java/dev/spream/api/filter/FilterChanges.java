package dev.spream.api.filter;

import dev.spream.core.consume.Delivery;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.SpannerType;
import dev.spream.core.record.TypeCode;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Changes for tests: of tables with a key {@code Id} and columns {@code Status}, {@code Total} and {@code Note}. */
final class FilterChanges {
    static final Delivery DELIVERY =
            new Delivery(new PartitionToken("partition-a"), 1, 1, Optional.empty(), Optional.empty());

    private FilterChanges() {}

    static DataChangeRecord insert(String table, String newValues) {
        return changed(0, table, "INSERT", mod("1", newValues, "{}"));
    }

    static DataChangeRecord update(String table, Mod... mods) {
        return changed(0, table, "UPDATE", mods);
    }

    static DataChangeRecord delete(String table, String oldValues) {
        return changed(0, table, "DELETE", mod("1", "{}", oldValues));
    }

    static DataChangeRecord changed(long second, String table, String modType, Mod... mods) {
        return new DataChangeRecord(
                Instant.parse("2026-01-01T00:00:00Z").plusSeconds(second),
                "00000003",
                "tx" + second,
                true,
                table,
                List.of(
                        column("Id", true, 1),
                        column("Status", false, 2),
                        column("Total", false, 3),
                        column("Note", false, 4)),
                List.of(mods),
                modType,
                "OLD_AND_NEW_VALUES",
                7,
                2,
                "tag",
                false);
    }

    static Mod mod(String id, String newValues, String oldValues) {
        return new Mod(JsonObject.of("{\"Id\":\"" + id + "\"}"), JsonObject.of(newValues), JsonObject.of(oldValues));
    }

    private static ColumnType column(String name, boolean key, int position) {
        return new ColumnType(name, SpannerType.of(TypeCode.STRING), key, position);
    }

    static Stream<String> columnNames(DataChangeRecord change) {
        return change.columnTypes().stream().map(ColumnType::name);
    }
}
