package dev.spream.projection;

import java.util.List;

/**
 * Two versions of a read model, compared at one position of every segment.
 *
 * @param tables those that either has, in the order of their names; empty if the store cannot compare, as of read models elsewhere
 */
public record VersionComparison(String projection, int live, int other, List<Table> tables) {
    public VersionComparison {
        tables = List.copyOf(tables);
    }

    /**
     * A table of either.
     *
     * @param liveRows how many rows it has in the live version, 0 if that has no such table
     * @param otherRows how many it has in the other version
     * @param different how many of their rows are in one of them only, by the columns that both have: a row that differs counts
     *     twice
     * @param oneSided the columns that one of them only has, less those that were ignored; {@code *} if one has no such table
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
