package dev.spream.core.projection;

import java.util.List;

/**
 * Two versions of a read model, compared at one position of every segment.
 *
 * @param tables in the order of their names; empty if the store cannot compare, as of read models elsewhere
 */
public record Parity(String projection, int live, int other, List<Table> tables) {
    public Parity {
        tables = List.copyOf(tables);
    }

    /**
     * A table of both.
     *
     * @param liveRows how many rows it has
     * @param otherRows how many it has in the other version
     * @param different how many of their rows are in one of them only, by the columns that both have: a row that differs counts
     *     twice
     */
    public record Table(String name, long liveRows, long otherRows, long different) {}

    public boolean isEqual() {
        return tables.stream().allMatch(table -> table.different() == 0);
    }
}
