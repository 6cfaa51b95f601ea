package dev.spream.emulator.internal.stream;

import java.util.List;

/**
 * What a stream watches: everything, or the tables of a list, which may be empty.
 *
 * @param all whether every table is watched, later ones included
 */
record Watched(boolean all, List<TableWatch> tables) {
    static final Watched NOTHING = new Watched(false, List.of());
    static final Watched ALL = new Watched(true, List.of());

    Watched {
        tables = List.copyOf(tables);
    }
}
