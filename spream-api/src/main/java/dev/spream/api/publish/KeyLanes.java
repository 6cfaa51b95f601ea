package dev.spream.api.publish;

import static java.util.Objects.requireNonNull;

import dev.spream.core.consume.BatchConsumer.Batch;
import dev.spream.core.record.RecordIdentity;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * The messages of a batch in the order in which they may be sent: those of each key, a lane, one request after the other.
 * Confined to the thread that publishes the batch, which enters all messages first, then sends what {@link #next} returns
 * and reports each answer, until {@link #judge} returns true.
 *
 * <p>A change is <em>decided</em> when none of its messages waits or is in flight: confirmed if all of them were, failed
 * if not. When a message is refused, messages that wait after it on any key of its change are not sent, nor those that
 * wait after these; so when the change is retried or dead-lettered, only messages that were already in flight have
 * overtaken it, and these are published again after it. When every change is decided, nothing is in flight that a next
 * attempt could overtake.
 *
 * @param <M> the messages of a receiver
 */
public final class KeyLanes<M> {
    private final Batch batch;
    private final Function<RecordIdentity, Exception> behind;
    private final List<ChangeProgress<M>> changes;
    private final Map<String, KeyLane<M>> lanes = new LinkedHashMap<>();
    private final Queue<KeyLane<M>> ready = new ArrayDeque<>(); // lanes without a request in flight
    private int judged; // changes before it are settled, failed, or left to the engine
    private boolean anyFailed;

    /** @param behind makes the failure of a change that is not published because an earlier one of its keys failed */
    public KeyLanes(Batch batch, Function<RecordIdentity, Exception> behind) {
        this.batch = batch;
        this.behind = requireNonNull(behind, "behind");
        this.changes = new ArrayList<>(batch.changes().size());
        batch.changes().forEach(change -> changes.add(new ChangeProgress<>(change)));
    }

    /** Messages of one key that are sent together, in order. */
    public static final class Request<M> {
        private final KeyLane<M> lane;
        private final List<LaneMessage<M>> entries;

        private Request(KeyLane<M> lane, List<LaneMessage<M>> entries) {
            this.lane = lane;
            this.entries = entries;
        }

        /** Returns the messages, at least one. */
        public List<M> messages() {
            return entries.stream().map(LaneMessage::message).toList();
        }
    }

    /**
     * Adds a message of a change; the changes in order.
     *
     * @param change the index of the change in the batch
     * @param key equal for messages whose order is kept
     * @param bytes its share of the size of a request
     */
    public void enter(int change, String key, M message, int bytes) {
        KeyLane<M> lane = lanes.computeIfAbsent(key, name -> {
            KeyLane<M> added = new KeyLane<>();
            ready.add(added);
            return added;
        });
        changes.get(change).enter(lane, new LaneMessage<>(change, message, bytes));
    }

    /** Fails a change of which nothing is to be sent, or no more; later changes of its keys are not sent either. */
    public void fail(int change, Exception cause) {
        if (changes.get(change).fail(cause)) {
            block(change);
        }
    }

    /** Returns whether a message may be sent now. */
    public boolean hasNext() {
        while (!ready.isEmpty() && ready.element().isEmpty()) {
            ready.remove();
        }
        return !ready.isEmpty();
    }

    /** Returns the next request: as many messages of one key as the limits allow, but at least one. */
    public Request<M> next(int maxMessages, long maxBytes) {
        if (!hasNext()) {
            throw new IllegalStateException("no message may be sent now");
        }
        KeyLane<M> lane = ready.remove();
        return new Request<>(lane, lane.next(maxMessages, maxBytes));
    }

    /** Reports that the receiver has all messages of a request. */
    public void confirmed(Request<M> request) {
        request.entries.forEach(entry -> changes.get(entry.change()).oneLess());
        ready.add(request.lane);
    }

    /**
     * Reports that the receiver does not have the messages of a request, or that it is not known.
     *
     * @param failure makes the failure of a change from one of its messages
     */
    public void refused(Request<M> request, BiFunction<RecordIdentity, M, Exception> failure) {
        for (LaneMessage<M> entry : request.entries) {
            ChangeProgress<M> change = changes.get(entry.change());
            change.oneLess();
            fail(entry.change(), failure.apply(change.identity(), entry.message()));
        }
        ready.add(request.lane);
    }

    /** Has the messages of a refused request sent again, each in a request of its own, which shows the one at fault. */
    public void sendAlone(Request<M> request) {
        request.lane.putBackAlone(request.entries).forEach(this::leaveOut);
        ready.add(request.lane);
    }

    /** Excludes all messages that wait after a failed change, and those that wait after these, over all keys. */
    private void block(int failed) {
        Deque<Integer> blocked = new ArrayDeque<>(List.of(failed));
        while (!blocked.isEmpty()) {
            int index = blocked.remove();
            for (KeyLane<M> lane : changes.get(index).lanes()) {
                for (LaneMessage<M> message : lane.block(index)) {
                    if (leaveOut(message)) {
                        blocked.add(message.change());
                    }
                }
            }
        }
    }

    /** Excludes a message; returns whether its change had not failed before. */
    private boolean leaveOut(LaneMessage<M> message) {
        ChangeProgress<M> change = changes.get(message.change());
        change.oneLess();
        return change.fail(behind.apply(change.identity()));
    }

    /**
     * Settles and fails the changes whose outcome is known. A confirmed change after a failed one is left open: only the
     * engine knows the required ordering, and so whether the change must be published again.
     *
     * @return whether every change is decided
     */
    public boolean judge() {
        while (judged < changes.size() && changes.get(judged).isDecided()) {
            Optional<Exception> failure = changes.get(judged).failure();
            failure.ifPresent(cause -> batch.fail(judged, cause));
            anyFailed |= failure.isPresent();
            if (!anyFailed) {
                batch.settle(judged);
            }
            judged++;
        }
        return judged == changes.size();
    }
}
