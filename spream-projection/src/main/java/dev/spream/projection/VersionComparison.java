package dev.spream.projection;

import java.util.List;

/**
 * Two versions of a read model, compared at one position of every segment.
 *
 * @param tables the tables of either, in the order of their names; empty if the store cannot compare them, such as for
 *     read models elsewhere
 */
public record VersionComparison(String projection, int live, int other, List<Table> tables) {
    public VersionComparison {
        tables = List.copyOf(tables);
    }

    /**
     * The comparison of one table that at least one of the versions has.
     *
     * @param liveRows the number of rows in the live version, 0 if it has no such table
     * @param otherRows the number of rows in the other version
     * @param different the number of rows that are in one version only, by the columns that both have: a row that
     *     differs counts twice
     * @param oneSided the columns that only one version has, except for ignored ones; {@code *} if one has no such
     *     table
     */
    public record Table(String name, long liveRows, long otherRows, long different, List<String> oneSided) {
        public Table {
            oneSided = List.copyOf(oneSided);
        }

        public boolean isEqual() {
            return different == 0 && oneSided.isEmpty();
        }
    }

    /** Returns whether something was compared, and nothing differs. */
    public boolean isEqual() {
        return !tables.isEmpty() && tables.stream().allMatch(Table::isEqual);
    }
}
