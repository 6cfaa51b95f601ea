package dev.spream.emulator.internal.sql;

import java.util.List;

/**
 * The scope of a stream: everything, or the tables of a list, which may be empty.
 *
 * @param all whether every table is watched, later ones included
 */
public record Watched(boolean all, List<TableWatch> tables) {
    public static final Watched NOTHING = new Watched(false, List.of());
    public static final Watched ALL = new Watched(true, List.of());

    public Watched {
        tables = List.copyOf(tables);
    }
}
