package dev.spream.flink;

import dev.spream.core.source.ChangeStreamSource;
import java.io.Serializable;

/**
 * Opens the change stream on the machines of a cluster: once for the enumerator, and once for each subtask that reads.
 * It is sent to them with the job, so everything that it refers to is serializable too.
 */
@FunctionalInterface
public interface ChangeStreamSourceFactory extends Serializable {

    /** Returns a new source; the caller closes it. */
    ChangeStreamSource open();
}
