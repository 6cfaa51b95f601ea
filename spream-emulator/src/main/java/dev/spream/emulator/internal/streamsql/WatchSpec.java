package dev.spream.emulator.internal.streamsql;

import java.util.List;

/**
 * The scope of a stream: everything, or the tables of a list, which may be empty.
 *
 * @param all whether every table is watched, later ones included
 */
public record WatchSpec(boolean all, List<TableWatch> tables) {
    public static final WatchSpec NOTHING = new WatchSpec(false, List.of());
    public static final WatchSpec ALL = new WatchSpec(true, List.of());

    public WatchSpec {
        tables = List.copyOf(tables);
    }

    /**
     * A table in a stream's FOR clause.
     *
     * @param table its name
     * @param wholeTable whether all columns are watched, later ones included
     * @param columns otherwise the watched columns beside the key, which may be none
     */
    public record TableWatch(String table, boolean wholeTable, List<String> columns) {
        public TableWatch {
            columns = List.copyOf(columns);
        }
    }
}
