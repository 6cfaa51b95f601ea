package dev.spream.cli.outbox;

import static java.util.stream.Collectors.joining;

import dev.spream.cli.output.Members;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import dev.spream.outbox.worker.OutboxListener;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.LongAdder;

/** Counts the work of an outbox worker. Safe for use by many threads. */
final class OutboxTally implements OutboxListener {
    private final LongAdder succeeded = new LongAdder();
    private final LongAdder failed = new LongAdder();
    private final LongAdder parked = new LongAdder();
    private final LongAdder aborted = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LongAdder sending = new LongAdder();
    private final Set<String> openBreakers = new ConcurrentSkipListSet<>(); // by destination

    @Override
    public void sending(OutboxClaim claim) {
        sending.increment();
    }

    @Override
    public void sent(OutboxClaim claim, SendOutcome outcome, boolean queried, Duration took) {
        sending.decrement();
    }

    @Override
    public void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
        switch (settlement) {
            case Settlement.Succeeded done -> succeeded.increment();
            case Settlement.Failed again -> failed.increment();
            case Settlement.Parked waits -> parked.increment();
            case Settlement.Aborted over -> aborted.increment();
            case Settlement.Released back -> {}
        }
    }

    @Override
    public void leaseLost(OutboxClaim claim) {
        lost.increment();
    }

    @Override
    public void breakerOpened(String destination, int failures, Duration pause) {
        openBreakers.add(destination);
    }

    @Override
    public void breakerClosed(String destination) {
        openBreakers.remove(destination);
    }

    /** Returns the counts since the start as JSON. */
    Members members() {
        return new Members()
                .put("succeeded", succeeded.sum())
                .put("failed", failed.sum())
                .put("parked", parked.sum())
                .put("aborted", aborted.sum())
                .put("lost", lost.sum())
                .put("sending", sending.sum())
                .put("breaker_open", !openBreakers.isEmpty());
    }

    String line(double seconds) {
        return String.format(
                Locale.ROOT,
                "%s, %.0f/s, %d being sent%s",
                this,
                succeeded.sum() / Math.max(seconds, 1),
                sending.sum(),
                breakers());
    }

    private String breakers() {
        String named = openBreakers.stream()
                .filter(destination -> !destination.isEmpty())
                .collect(joining(", "));
        return openBreakers.isEmpty() ? "" : "; circuit breaker open" + (named.isEmpty() ? "" : " for " + named);
    }

    @Override
    public String toString() {
        String more = lost.sum() == 0 ? "" : String.format(Locale.ROOT, ", %,d taken over by others", lost.sum());
        return String.format(
                Locale.ROOT,
                "%,d succeeded, %,d attempts failed, %,d parked, %,d aborted%s",
                succeeded.sum(),
                failed.sum(),
                parked.sum(),
                aborted.sum(),
                more);
    }
}
