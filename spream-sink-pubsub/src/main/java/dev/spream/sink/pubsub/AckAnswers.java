package dev.spream.sink.pubsub;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.cloud.pubsub.v1.AckResponse;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The answers of Pub/Sub to acknowledgements, which come for subscriptions with exactly-once delivery alone. One that it
 * refused does no harm: the message comes again, and its event is recognised as a duplicate. Every refusal is counted;
 * the first, second, fourth, eighth and so on are logged. Safe for use by many threads.
 */
final class AckAnswers {
    private static final Logger log = LoggerFactory.getLogger(AckAnswers.class);

    private final String subscription;
    private final AtomicLong refused = new AtomicLong();

    AckAnswers(String subscription) {
        this.subscription = subscription;
    }

    void watch(String messageId, ApiFuture<AckResponse> answer) {
        ApiFutures.addCallback(
                answer,
                new ApiFutureCallback<>() {
                    @Override
                    public void onSuccess(AckResponse response) {
                        if (response != AckResponse.SUCCESSFUL) {
                            refused(messageId, response);
                        }
                    }

                    @Override
                    public void onFailure(Throwable failure) {
                        refused(messageId, failure);
                    }
                },
                Runnable::run);
    }

    /** How many acknowledgements were refused, or may have been lost. */
    long refused() {
        return refused.get();
    }

    private void refused(String messageId, Object why) {
        long count = refused.incrementAndGet();
        if (Long.bitCount(count) == 1) {
            log.warn(
                    "the acknowledgement of message {} of {} did not succeed: {} ({} in all); the message comes again, and its event is passed over as a duplicate. If it does not pass, look at the subscription's ack deadline and at roles/pubsub.subscriber of the account in use",
                    messageId,
                    subscription,
                    why,
                    count);
        }
    }
}
