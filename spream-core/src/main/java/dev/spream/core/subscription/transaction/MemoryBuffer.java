package dev.spream.core.subscription.transaction;

import dev.spream.core.record.DataChangeRecord;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** A buffer in memory, where none on disk is configured. */
public final class MemoryBuffer implements ChangeBuffer {
    private final Map<Long, DataChangeRecord> changes = new ConcurrentHashMap<>();
    private final AtomicLong last = new AtomicLong();

    @Override
    public long add(DataChangeRecord change) {
        long id = last.incrementAndGet();
        changes.put(id, change);
        return id;
    }

    @Override
    public DataChangeRecord read(long id) {
        return Objects.requireNonNull(changes.get(id), "change");
    }

    @Override
    public void remove(Collection<Long> ids) {
        ids.forEach(changes::remove);
    }

    @Override
    public void close() {
        changes.clear();
    }
}
