package dev.spream.api.filter;

import dev.spream.core.record.ColumnType;
import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.record.JsonObject;
import dev.spream.core.record.Mod;
import dev.spream.core.record.ModType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The columns of one table that pass a filter. */
record ColumnChoice(String table, Set<String> columns) {
    ColumnChoice {
        columns = Set.copyOf(columns);
    }

    /** Returns the change with these columns and its primary key; empty if it is an update that sets none of them. */
    Optional<DataChangeRecord> apply(DataChangeRecord change) {
        List<Mod> mods = change.mods().stream()
                .map(this::apply)
                .filter(mod -> change.modType() != ModType.UPDATE
                        || !mod.newValues().members().isEmpty())
                .toList();
        if (mods.isEmpty()) {
            return Optional.empty();
        }
        List<ColumnType> types = change.columnTypes().stream()
                .filter(type -> type.isPrimaryKey() || columns.contains(type.name()))
                .toList();
        return Optional.of(change.with(types, mods));
    }

    private Mod apply(Mod mod) {
        return new Mod(mod.keys(), only(mod.newValues()), only(mod.oldValues()));
    }

    private JsonObject only(JsonObject values) {
        Map<String, @Nullable Object> members = values.members();
        if (columns.containsAll(members.keySet())) {
            return values;
        }
        Map<String, @Nullable Object> kept = new LinkedHashMap<>(members);
        kept.keySet().retainAll(columns);
        return JsonObject.of(kept);
    }

    @Override
    public String toString() {
        return table + columns;
    }
}
