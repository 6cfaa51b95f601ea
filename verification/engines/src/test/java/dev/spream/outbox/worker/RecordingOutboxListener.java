package dev.spream.outbox.worker;

import dev.spream.core.StorageException;
import dev.spream.outbox.ClaimResult;
import dev.spream.outbox.OutboxClaim;
import dev.spream.outbox.OutboxHistory;
import dev.spream.outbox.SendOutcome;
import dev.spream.outbox.Settlement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** Remembers what workers told, but for claims that found nothing. */
final class RecordingOutboxListener implements OutboxListener {

    /** Something that a worker told. */
    sealed interface Event {
        record Claimed(ClaimResult result) implements Event {}

        record Enqueued(List<OutboxClaim> claims) implements Event {}

        record Sending(OutboxClaim claim) implements Event {}

        record Sent(OutboxClaim claim, SendOutcome outcome, boolean queried) implements Event {}

        record Settled(OutboxClaim claim, Settlement settlement) implements Event {}

        record Committed(int settlements) implements Event {}

        record LeaseLost(OutboxClaim claim) implements Event {}

        record Expired(int entries) implements Event {}

        record Removed(OutboxHistory part, int rows) implements Event {}

        record BreakerOpened(int failures) implements Event {}

        record BreakerClosed() implements Event {}

        record StoreFailed(StorageException failure) implements Event {}
    }

    private final List<Event> events = new CopyOnWriteArrayList<>();

    List<Event> all() {
        return events;
    }

    <E extends Event> Stream<E> all(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast);
    }

    @Override
    public void claimed(ClaimResult result, Duration took) {
        if (!result.isEmpty()) {
            events.add(new Event.Claimed(result));
        }
    }

    @Override
    public void enqueued(List<OutboxClaim> claims) {
        events.add(new Event.Enqueued(claims));
    }

    @Override
    public void sending(OutboxClaim claim) {
        events.add(new Event.Sending(claim));
    }

    @Override
    public void sent(OutboxClaim claim, SendOutcome outcome, boolean queried, Duration took) {
        events.add(new Event.Sent(claim, outcome, queried));
    }

    @Override
    public void settled(OutboxClaim claim, Settlement settlement, Duration sinceClaim) {
        events.add(new Event.Settled(claim, settlement));
    }

    @Override
    public void committed(int settlements, Duration took) {
        events.add(new Event.Committed(settlements));
    }

    @Override
    public void leaseLost(OutboxClaim claim) {
        events.add(new Event.LeaseLost(claim));
    }

    @Override
    public void expired(int entries) {
        events.add(new Event.Expired(entries));
    }

    @Override
    public void removed(OutboxHistory part, int rows) {
        events.add(new Event.Removed(part, rows));
    }

    @Override
    public void breakerOpened(String destination, int failures, Duration pause) {
        events.add(new Event.BreakerOpened(failures));
    }

    @Override
    public void breakerClosed(String destination) {
        events.add(new Event.BreakerClosed());
    }

    @Override
    public void storeFailed(StorageException failure) {
        events.add(new Event.StoreFailed(failure));
    }
}
