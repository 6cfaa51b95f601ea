package dev.spream.flink.guide;

import dev.spream.core.partition.CorrectionAct;
import dev.spream.flink.ChangeDeserializationSchema;
import dev.spream.flink.FlinkChangeStreamSource;
import dev.spream.flink.JobSavepoint;
import dev.spream.flink.SpannerStream;
import dev.spream.flink.SpannerSubscription;
import java.io.IOException;

/** The code of the guide that continues a subscription in a job, and a job in a subscription. */
public final class SubscriptionAndBack {
    private SubscriptionAndBack() {}

    /** Returns the source of a job that continues the subscription. */
    public static <T> FlinkChangeStreamSource<T> continued(
            SpannerStream stream, SpannerSubscription subscription, ChangeDeserializationSchema<T> schema) {
        return FlinkChangeStreamSource.builder(stream, schema)
                .startFrom(subscription) // where its workers have stopped
                .build();
    }

    /** Stores the progress of a stopped job. */
    public static String back(String savepoint, SpannerSubscription subscription) throws IOException {
        JobSavepoint stopped = JobSavepoint.read(savepoint, "changes"); // the uid of the source
        CorrectionAct act = new CorrectionAct("ann@host", "back from Flink");
        return subscription.call(storage -> stopped.storeIn(storage, act));
    }
}
