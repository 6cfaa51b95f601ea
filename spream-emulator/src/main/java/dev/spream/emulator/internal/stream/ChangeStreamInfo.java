package dev.spream.emulator.internal.stream;

import dev.spream.emulator.internal.sql.TableWatch;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A change stream as the information schema shows it.
 *
 * @param all whether it watches the whole database
 * @param tables otherwise the watched tables and the columns it names; {@link #ALL_COLUMNS} alone for a whole table, nothing
 *     where only keys are watched
 * @param options the options that were given, and their values as text
 */
public record ChangeStreamInfo(
        String name, boolean all, Map<String, List<String>> tables, Map<String, String> options) {
    /** Stands for all the columns of a table. */
    public static final String ALL_COLUMNS = "*";

    public ChangeStreamInfo {
        tables = Collections.unmodifiableMap(new LinkedHashMap<>(tables));
        options = Collections.unmodifiableMap(new LinkedHashMap<>(options));
    }

    static ChangeStreamInfo of(StreamDefinition definition) {
        Map<String, List<String>> tables = new LinkedHashMap<>();
        for (TableWatch watch : definition.watched().tables()) {
            tables.put(watch.table(), watch.wholeTable() ? List.of(ALL_COLUMNS) : watch.columns());
        }
        return new ChangeStreamInfo(
                definition.name(),
                definition.watched().all(),
                tables,
                definition.options().declared());
    }
}
