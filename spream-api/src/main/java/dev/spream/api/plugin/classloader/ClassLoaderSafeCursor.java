package dev.spream.api.plugin.classloader;

import dev.spream.core.record.ChangeRecord;
import dev.spream.core.source.ChangeStreamCursor;
import java.util.Optional;

/** A cursor of a plug-in's source, called in its scope. */
record ClassLoaderSafeCursor(ChangeStreamCursor target, ThreadContextClassLoader scope) implements ChangeStreamCursor {
    @Override
    public Optional<ChangeRecord> next() throws InterruptedException {
        return scope.call(target::next);
    }

    @Override
    public int prefetched() {
        return scope.call(target::prefetched);
    }

    @Override
    public void close() {
        scope.run(target::close);
    }
}
