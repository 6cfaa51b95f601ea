package dev.spream.cli.http;

import dev.spream.core.LoggedFailure;
import dev.spream.core.subscription.SubscriptionListener;
import dev.spream.core.subscription.SubscriptionView;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The phase of a run. Safe for use by many threads. */
final class RunState implements SubscriptionListener {
    enum Phase {
        /** The storage or the source is being opened. */
        STARTING,
        RUNNING,
        /** A shutdown was requested; work in flight finishes. */
        DRAINING,
        ENDED,
        FAILED
    }

    private volatile @Nullable SubscriptionView view;

    // Guarded by this.
    private Phase phase = Phase.STARTING;
    private String reason = "";

    @Override
    public void started(SubscriptionView subscription) {
        view = subscription;
        become(Phase.RUNNING);
    }

    /** Marks a run that is not a subscription as running. */
    void running() {
        become(Phase.RUNNING);
    }

    @Override
    public void ended() {
        become(Phase.ENDED);
    }

    void draining() {
        become(Phase.DRAINING);
    }

    synchronized void failed(Throwable failure) {
        phase = Phase.FAILED;
        reason = LoggedFailure.brief(failure);
    }

    private synchronized void become(Phase next) {
        if (next.compareTo(phase) > 0) {
            phase = next;
        }
    }

    synchronized Phase phase() {
        return phase;
    }

    /** Returns the reason of the failure; empty without one. */
    synchronized String reason() {
        return reason;
    }

    /** Returns the response of {@code /ready}. */
    Answer ready() {
        return Answer.text(phase() == Phase.RUNNING ? Answer.OK : Answer.UNAVAILABLE, name());
    }

    /** Returns the response of {@code /health}. */
    Answer health(Optional<String> problem) {
        return problem.map(text -> Answer.text(Answer.UNAVAILABLE, text))
                .orElseGet(() -> Answer.text(Answer.OK, name()));
    }

    private String name() {
        return phase().name().toLowerCase(Locale.ROOT);
    }

    /** Returns the view of the subscription; empty before the start. */
    Optional<SubscriptionView> view() {
        return Optional.ofNullable(view);
    }
}
