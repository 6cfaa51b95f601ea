package dev.spream.core.subscription;

import dev.spream.core.ExponentialBackoff;
import dev.spream.core.LoggedFailure;
import dev.spream.core.partition.PartitionToken;
import dev.spream.core.partition.SubscriptionRecord;
import dev.spream.core.source.PartitionQuery;
import dev.spream.core.source.SourceException;
import dev.spream.core.subscription.reading.QueryRunner;
import dev.spream.core.subscription.reading.QueryWindow;
import dev.spream.core.subscription.reading.StreamEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first query of a subscription that is not stored yet: it is stored once the server answers a query from its
 * start, so that a refused start leaves nothing stored. The records of the query are not used. {@link
 * #cancelIfStalled} and {@link #close} may be called from any thread.
 */
final class StartProbe {
    private static final Logger log = LoggerFactory.getLogger(StartProbe.class);

    private final EngineContext context;
    private final BooleanSupplier wanted;
    private final QueryRunner queries;
    private final ExponentialBackoff backoff;

    // Confined to the querying thread.
    private boolean answered;
    private boolean waiting;
    private int failures; // since the last answer

    StartProbe(EngineContext context, BooleanSupplier wanted) {
        this.context = context;
        this.wanted = wanted;
        this.queries = context.queries(wanted);
        this.backoff = RetryingStorageCalls.backoff(context.random());
    }

    /**
     * Waits until the server has answered a query from the subscription's start; for a start in the future that is when the
     * server's time has reached it.
     *
     * @return false if it was stopped before
     * @throws SubscriptionException if the server refuses the start
     */
    boolean isAnswered(SubscriptionRecord requested) throws InterruptedException {
        Instant from = requested.startTimestamp();
        while (wanted.getAsBoolean() && !answered) {
            try {
                if (ask(requested, from) instanceof StreamEnd.Broken broken) {
                    from = next(requested, from, broken.cause());
                }
            } catch (SourceException e) {
                if (e.kind() != SourceException.Kind.TRANSIENT) {
                    throw e;
                }
                failed(e); // the server's time is unknown
            }
        }
        if (answered) {
            reportAnswered();
        }
        return answered;
    }

    private StreamEnd ask(SubscriptionRecord requested, Instant from) throws InterruptedException {
        if (requested.endTimestamp().filter(from::isAfter).isPresent()) {
            answered = true; // everything of a bounded subscription is in the gap that was accepted
            return new StreamEnd.Ok();
        }
        PartitionQuery query = new PartitionQuery(
                PartitionToken.ROOT,
                from,
                new QueryWindow(requested.endTimestamp(), requested.partitionMode()).endOf(from),
                context.options().heartbeatInterval());
        StreamEnd end = queries.run(query, record -> {
            answered = true;
            return false;
        });
        answered |= end instanceof StreamEnd.Ok;
        return end;
    }

    /** Returns the time of the next query. */
    private Instant next(SubscriptionRecord requested, Instant from, SourceException failure)
            throws InterruptedException {
        switch (failure.kind()) {
            case CANCELLED -> throw failure;
            case TRANSIENT -> {
                failed(failure);
            }
            case START_IN_FUTURE -> {
                log.info(
                        "[{}] the start, {}, is in the future; nothing is stored before the server's time has reached it",
                        context.source().streamName(),
                        from);
                reportAnswered();
                if (!waiting) {
                    waiting = true;
                    context.listener().publish(listener -> listener.waitingForStart(from));
                }
                queries.pause(backoff.next());
                queries.awaitServerPassed(from);
            }
            case RETENTION_LOST, PARTITION_EXPIRED -> {
                return endOfGap(requested, from, failure);
            }
            case OUTSIDE_PARTITION ->
                throw refused(requested, failure, "Start at a time from which the stream can be read");
            case NOT_FOUND, PERMISSION_DENIED, MALFORMED, FATAL ->
                throw refused(
                        requested, failure, "Check the stream's name and the permission to read it, and run again");
        }
        return from;
    }

    private void failed(SourceException failure) throws InterruptedException {
        failures++;
        Duration delay = backoff.next();
        log.info(
                "[{}] the first query failed: {}; retrying",
                context.source().streamName(),
                LoggedFailure.message(failure));
        context.listener().publish(listener -> listener.reconnecting(PartitionToken.ROOT, failures, delay, failure));
        queries.pause(delay);
    }

    /** Records that the server answers again, so that a later failure counts as a new outage. */
    private void reportAnswered() {
        if (failures > 0) {
            failures = 0;
            backoff.reset();
            context.listener().publish(listener -> listener.reconnected(PartitionToken.ROOT));
        }
    }

    /**
     * Returns the end of the gap to accept. Only one gap is accepted: if the stream does not reach back to its end, the
     * stream was created later.
     */
    private Instant endOfGap(SubscriptionRecord requested, Instant from, SourceException failure) {
        boolean accepted = context.options().retentionLoss() == RetentionLoss.ACCEPT_GAP;
        if (accepted && from.equals(requested.startTimestamp())) {
            return RetentionLossHandler.gap(context, PartitionToken.ROOT, from, failure)
                    .to();
        }
        throw refused(
                requested,
                failure,
                accepted
                        ? "The stream does not reach back as far as its retention period: it may have been created later. Start at a later time"
                        : "That is before the stream's retention period, or before the stream was created. Start at a later time, or set retentionLoss to ACCEPT_GAP (retention-loss=accept-gap) to begin with the first changes that the stream still has");
    }

    private SubscriptionException refused(SubscriptionRecord requested, SourceException failure, String remedy) {
        return new SubscriptionException(
                "[%s] the subscription cannot start at %s: %s; nothing was read or stored. %s"
                        .formatted(
                                context.source().streamName(),
                                requested.startTimestamp(),
                                failure.getMessage(),
                                remedy),
                failure);
    }

    void cancelIfStalled() {
        queries.cancelIfStalled();
    }

    /** Ends a query or a wait. Called when the probe is stopped. */
    void close() {
        queries.close();
    }
}
