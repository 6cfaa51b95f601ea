package dev.spream.testkit.memory;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The writes and locks of a transaction so far. Guarded by its memory. */
final class OpenTransaction {
    /** Its writes, by table and key; empty for removed rows. */
    final Map<String, Map<String, Optional<?>>> written = new HashMap<>();

    final Set<RowLocks.Row> locked = new HashSet<>();

    /** The row whose owner it waits for. */
    RowLocks.@Nullable Row waitsFor;

    /** The reason why it can no longer be used, if it has ended. */
    @Nullable
    String over;
}
