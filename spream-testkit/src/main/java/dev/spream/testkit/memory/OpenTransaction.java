package dev.spream.testkit.memory;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The writes and locks of a transaction so far. Guarded by its memory. */
final class OpenTransaction {
    /** What it wrote, by table and key; empty for rows that it removed. */
    final Map<String, Map<String, Optional<?>>> written = new HashMap<>();

    final Set<RowLocks.Row> locked = new HashSet<>();

    /** The row for whose owner it waits. */
    RowLocks.@Nullable Row waitsFor;

    /** Why it cannot be used any more, if it cannot. */
    @Nullable
    String over;
}
