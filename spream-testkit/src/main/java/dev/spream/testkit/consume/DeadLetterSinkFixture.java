package dev.spream.testkit.consume;

import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.record.DataChangeRecord;
import java.util.List;

/** A dead letter sink under test, empty, created for one test, and the means to restart it. */
public interface DeadLetterSinkFixture extends AutoCloseable {

    /** Returns the sink, which is empty at first. After {@link #restart}, returns the reopened one. */
    DeadLetterSink sink();

    /** Ends the sink as a crash would, and opens another over the durable state. */
    void restart() throws Exception;

    /** Returns the changes that are stored and not removed by a replay, in any order, as often as each is stored. */
    List<DataChangeRecord> kept() throws Exception;

    @Override
    void close() throws Exception;
}
