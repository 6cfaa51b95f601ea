package dev.spream.testkit.consume;

import dev.spream.core.consume.DeadLetterSink;
import dev.spream.core.record.DataChangeRecord;
import java.util.List;

/** A dead letter sink under test. */
public interface DeadLetterSinkFixture extends AutoCloseable {

    /** The sink; at first it holds nothing. After {@link #restart}, the one that came out of it. */
    DeadLetterSink sink();

    /** Ends the sink as a crash would, and opens another over what is durable. */
    void restart() throws Exception;

    /** The changes that are kept and were not given back, in any order, once for each time they are kept. */
    List<DataChangeRecord> kept() throws Exception;

    @Override
    void close() throws Exception;
}
