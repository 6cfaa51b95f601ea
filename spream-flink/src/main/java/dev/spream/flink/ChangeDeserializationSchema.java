package dev.spream.flink;

import dev.spream.core.record.DataChangeRecord;
import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.util.Collector;

/**
 * Turns change records into the elements of a job. It is sent to the machines of a cluster with the job. Used by one
 * thread at a time.
 *
 * @param <T> the type of the elements
 */
public interface ChangeDeserializationSchema<T> extends Serializable, ResultTypeQueryable<T> {

    /**
     * Returns the schema that emits change records as they are. They are serialized as JSON; where a function returns them,
     * name its type: {@code returns(ChangeDeserializationSchema.records().getProducedType())}.
     */
    static ChangeDeserializationSchema<DataChangeRecord> records() {
        return new ChangeRecordSchema();
    }

    /** Returns the schema that emits each change as one line of JSON, in the shape of Spanner's documentation. */
    static ChangeDeserializationSchema<String> json() {
        return new ChangeJsonSchema();
    }

    /** Prepares the schema, before its first change. */
    default void open(DeserializationSchema.InitializationContext context) throws Exception {}

    /**
     * Emits the elements of a change: none, one, or several. All of them are in a checkpoint, or none. They have the commit
     * timestamp as their event time.
     *
     * @throws IOException if the change cannot be turned into elements: the job fails, and the change comes again
     */
    void deserialize(DataChangeRecord change, Collector<T> out) throws IOException;
}
