package dev.spream.core.subscription;

import dev.spream.core.record.DataChangeRecord;
import dev.spream.core.subscription.SimulationViolation.Promise;
import dev.spream.core.subscription.transaction.ChangeBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The buffer of one process, which is lost with it. */
final class SimulatedBuffer implements ChangeBuffer {
    private final SimulatedPorts ports;
    private final SimulationJudge judge;
    private final Map<Long, DataChangeRecord> changes = new HashMap<>();
    private long last;

    SimulatedBuffer(SimulatedPorts ports, SimulationJudge judge) {
        this.ports = ports;
        this.judge = judge;
    }

    @Override
    public long add(DataChangeRecord change) {
        ports.pass("buffer %s", SimulationJudge.describe(change));
        changes.put(++last, change);
        judge.transactions.buffered(ports.process, change);
        return last;
    }

    @Override
    public DataChangeRecord read(long id) {
        @Nullable DataChangeRecord change = changes.get(id);
        if (change == null) {
            throw judge.violated(Promise.WHOLE, "change %d is read from the buffer, and is not there", id);
        }
        return change;
    }

    @Override
    public void remove(Collection<Long> ids) {
        ids.forEach(this::remove);
    }

    private void remove(long id) {
        @Nullable DataChangeRecord change = changes.remove(id);
        if (change == null) {
            throw judge.violated(Promise.BOUNDS, "change %d is removed from the buffer, and is not there", id);
        }
        judge.transactions.unbuffered(ports.process, change);
    }

    @Override
    public void close() {
        if (!changes.isEmpty() && judge.run(ports.process).calls == 0) {
            throw judge.violated(
                    Promise.BOUNDS, "%s ends with %d changes in its buffer", ports.process, changes.size());
        }
    }
}
