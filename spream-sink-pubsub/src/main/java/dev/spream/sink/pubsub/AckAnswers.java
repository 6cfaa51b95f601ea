package dev.spream.sink.pubsub;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.cloud.pubsub.v1.AckResponse;
import dev.spream.core.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The responses of Pub/Sub to acknowledgements, which exist only for subscriptions with exactly-once delivery. A
 * refused acknowledgement is harmless: the message is delivered again, and its event is recognised as a duplicate.
 * Every refusal is counted; the first, second, fourth, eighth and so on are logged. Safe for use by many threads.
 */
final class AckAnswers {
    private static final Logger log = LoggerFactory.getLogger(AckAnswers.class);

    private final String subscription;
    private final AtomicLong refused = new AtomicLong();
    private final Set<ApiFuture<AckResponse>> open = ConcurrentHashMap.newKeySet();

    AckAnswers(String subscription) {
        this.subscription = subscription;
    }

    void watch(String messageId, ApiFuture<AckResponse> answer) {
        open.add(answer);
        answer.addListener(() -> open.remove(answer), Runnable::run);
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

    /** Waits for that long at most until all acknowledgements so far were sent. */
    void awaitSent(Duration atMost) {
        try {
            ApiFutures.successfulAsList(List.copyOf(open)).get(atMost.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            log.debug(
                    "{} acknowledgements of {} were not sent within {}; their messages are delivered again",
                    open.size(),
                    subscription,
                    DurationText.of(atMost));
        }
    }

    /** Returns the number of acknowledgements that were refused, or may have been lost. */
    long refused() {
        return refused.get();
    }

    private void refused(String messageId, Object why) {
        long count = refused.incrementAndGet();
        if (Long.bitCount(count) == 1) {
            log.warn(
                    "the acknowledgement of message {} of {} failed: {} ({} in all); the message is delivered again, and its event is skipped as a duplicate. If this continues, check the subscription's ack deadline, and that the account in use has roles/pubsub.subscriber",
                    messageId,
                    subscription,
                    why,
                    count);
        }
    }
}
