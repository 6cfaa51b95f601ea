package dev.spream.api.plugin;

import dev.spream.outbox.OutboxEntry;
import dev.spream.outbox.OutboxSender;
import dev.spream.outbox.QueryOutcome;
import dev.spream.outbox.SendOutcome;
import java.time.Duration;

/** A plug-in's sender, called in its scope. */
@SuppressWarnings("try") // what close throws is for the target to say
record ScopedOutboxSender(OutboxSender target, CallScope scope) implements OutboxSender, AutoCloseable {
    @Override
    public Guarantee guarantee() {
        return scope.call(target::guarantee);
    }

    @Override
    public String name() {
        return scope.call(target::name);
    }

    @Override
    public SendOutcome send(OutboxEntry entry, Duration timeout) throws Exception {
        return scope.call(() -> target.send(entry, timeout));
    }

    @Override
    public QueryOutcome query(OutboxEntry entry, Duration timeout) throws Exception {
        return scope.call(() -> target.query(entry, timeout));
    }

    /** Closes the sender, if it can be closed. */
    @Override
    public void close() throws Exception {
        if (target instanceof AutoCloseable closeable) {
            scope.run(closeable::close);
        }
    }

    @Override
    public String toString() {
        return target.toString();
    }
}
