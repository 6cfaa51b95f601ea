package dev.spream.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.core.StorageException;
import dev.spream.projection.event.EventFeed;
import dev.spream.projection.event.EventSource;
import dev.spream.projection.event.EventStore;
import dev.spream.projection.event.ExpectedVersion;
import dev.spream.projection.event.FeedBatch;
import dev.spream.projection.event.FeedItem;
import dev.spream.projection.event.FeedRequest;
import dev.spream.projection.event.NewEvent;
import dev.spream.projection.event.RecordedEvent;
import dev.spream.projection.event.VersionConflictException;
import dev.spream.testkit.ContractRun;
import dev.spream.testkit.event.ContractBreakers;
import dev.spream.testkit.event.ContractBreakers.Answer;
import dev.spream.testkit.event.EventSourceFixture;
import dev.spream.testkit.event.EventStoreContract;
import dev.spream.testkit.event.EventStoreFixture;
import dev.spream.testkit.event.PositionedSourceContract;
import dev.spream.testkit.event.QueueEventSourceFixture;
import dev.spream.testkit.event.QueueSourceContract;
import dev.spream.testkit.event.QueueSourceFixture;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The contracts' own tests: what does not keep a promise fails the test of that promise. */
final class EventContractsTest {
    private static Duration storeLimit = Duration.ZERO;
    private static Duration sourceLimit = Duration.ZERO;
    private static Duration queueLimit = Duration.ZERO;

    @BeforeAll
    static void correct_implementations_pass_the_contracts() {
        storeLimit = ContractRun.limit(EventStoreContract.class, () -> new StoreRun(store -> store));
        sourceLimit = ContractRun.limit(PositionedSourceContract.class, () -> new SourceRun(source -> source));
        queueLimit = ContractRun.limit(QueueSourceContract.class, () -> new QueueRun(source -> source));
    }

    @Test
    void a_store_that_does_not_look_at_the_version_fails() {
        storeContract(
                        "append",
                        (store, arguments) ->
                                store.append((String) arguments[0], ExpectedVersion.any(), events(arguments)))
                .requireFailures(
                        "another_version_than_expected_is_a_conflict_and_nothing_is_appended",
                        "of_concurrent_appends_at_an_expected_version_one_succeeds");
    }

    @Test
    void a_store_that_does_not_know_a_repeated_append_fails() {
        storeContract("append", (store, arguments) -> {
                    String aggregate = (String) arguments[0];
                    long before = store.read(aggregate, 0, 10_000).size();
                    List<RecordedEvent> appended =
                            store.append(aggregate, (ExpectedVersion) arguments[1], events(arguments));
                    if (store.read(aggregate, 0, 10_000).size() == before) {
                        throw new VersionConflictException(aggregate, 0, before);
                    }
                    return appended;
                })
                .requireFailures(
                        "an_append_that_is_repeated_gives_the_same_and_appends_nothing",
                        "an_append_at_any_version_that_is_repeated_gives_the_same_wherever_that_is");
    }

    @Test
    void a_store_that_appends_one_after_the_other_fails() {
        storeContract("append", (store, arguments) -> {
                    List<RecordedEvent> appended = new ArrayList<>(store.append(
                            (String) arguments[0],
                            (ExpectedVersion) arguments[1],
                            events(arguments)
                                    .subList(0, Math.min(1, events(arguments).size()))));
                    for (NewEvent event :
                            events(arguments).subList(1, events(arguments).size())) {
                        appended.addAll(store.append((String) arguments[0], ExpectedVersion.any(), List.of(event)));
                    }
                    return appended;
                })
                .requireFailures(
                        "an_id_that_another_event_has_is_refused_and_nothing_is_appended",
                        "data_that_are_not_json_are_refused_and_not_shown_and_nothing_is_appended");
    }

    @SuppressWarnings("unchecked")
    private static List<NewEvent> events(Object[] arguments) {
        return (List<NewEvent>) arguments[2];
    }

    @Test
    void a_store_that_is_read_past_late_commits_fails() {
        Set<Long> late = ConcurrentHashMap.newKeySet();
        storeContract(
                        "readAll",
                        (store, arguments) -> store.readAll((long) arguments[0], (int) arguments[1]).stream()
                                .filter(event -> event.position() % 7 != 3 || !late.add(event.position()))
                                .toList())
                .requireFailures("a_reader_that_continues_during_appends_misses_nothing_and_keeps_the_order");
    }

    @Test
    void a_store_that_reads_too_much_or_nothing_fails() {
        storeContract(
                        "read",
                        (store, arguments) -> store.read((String) arguments[0], (long) arguments[1], Integer.MAX_VALUE))
                .requireFailures("an_aggregate_is_read_from_any_version_on_and_no_further_than_the_limit");
        storeContract("readAll", (store, arguments) -> store.readAll(0, (int) arguments[1]))
                .requireFailures("all_events_are_read_in_the_order_of_their_positions_from_any_on");
        assertThat(storeContract("append", (store, arguments) -> List.of()).failures())
                .hasSizeGreaterThan(10);
    }

    @Test
    void a_source_that_skips_late_commits_fails() {
        sourceContract(feed -> new ForwardingFeed(feed) {
                    @Override
                    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
                        FeedBatch batch = target.poll(limit, wait);
                        List<FeedItem> seen = batch.items().stream()
                                .filter(item -> item.deliveryId() % 7 != 3)
                                .toList();
                        return new FeedBatch(seen, batch.position(), batch.head());
                    }
                })
                .requireFailures(
                        "a_reader_during_writes_misses_nothing_in_any_segment",
                        "what_many_write_at_once_is_delivered_once_and_in_the_order_of_each_aggregate",
                        "a_feed_continues_from_any_position_of_any_reader");
    }

    @Test
    void a_source_that_goes_through_events_out_of_order_fails() {
        sourceContract(feed -> new ForwardingFeed(feed) {
                    @Override
                    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
                        FeedBatch batch = target.poll(limit, wait);
                        return new FeedBatch(batch.items().reversed(), batch.position(), batch.head());
                    }
                })
                .requireFailures(
                        "the_events_of_an_aggregate_come_in_their_order_and_no_more_at_once_than_asked_for",
                        "events_come_in_the_order_of_their_positions_and_the_batch_has_the_last_one_and_the_head");
    }

    @Test
    void a_source_that_mixes_up_segments_or_positions_fails() {
        openContract((source, request) -> source.open(new FeedRequest(request.projection(), 0, 1, request.after())))
                .requireFailures(
                        "every_aggregate_is_in_one_segment_always_in_the_same_and_in_the_half_of_it",
                        "a_reader_during_writes_misses_nothing_in_any_segment");
        openContract((source, request) ->
                        source.open(new FeedRequest(request.projection(), request.segment(), request.segments(), 0)))
                .requireFailures(
                        "a_feed_continues_from_any_position_of_any_reader",
                        "the_next_feed_continues_at_the_position_of_a_batch");
    }

    @Test
    void a_source_that_does_not_wake_or_end_waiting_polls_fails() {
        sourceContract(feed -> new ForwardingFeed(feed) {
                    private final CountDownLatch never = new CountDownLatch(1);

                    @Override
                    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
                        boolean over = never.await(wait.toMillis(), TimeUnit.MILLISECONDS);
                        assertThat(over).isFalse();
                        return target.poll(limit, Duration.ZERO);
                    }
                })
                .requireFailures(
                        "a_poll_that_waits_returns_soon_after_something_was_written",
                        "closing_a_feed_ends_a_poll_that_waits_and_closing_again_is_harmless",
                        "closing_a_source_ends_its_feeds_and_no_others_and_closing_again_is_harmless");
        sourceContract(feed -> new ForwardingFeed(feed) {
                    @Override
                    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
                        Thread.yield(); // polling in a loop would take the processors from concurrent tests
                        return target.poll(limit, Duration.ZERO);
                    }
                })
                .requireFailures(
                        "a_poll_without_events_ends_when_its_wait_is_over",
                        "a_poll_that_waits_returns_soon_after_something_was_written");
    }

    @Test
    void a_source_that_does_not_say_that_it_is_closed_fails() {
        sourceContract(feed -> new ForwardingFeed(feed) {
                    @Override
                    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
                        try {
                            return target.poll(limit, wait);
                        } catch (StorageException e) {
                            return new FeedBatch(List.of(), 0, 0);
                        }
                    }
                })
                .requireFailures("closing_a_source_ends_its_feeds_and_no_others_and_closing_again_is_harmless");
    }

    @Test
    void a_source_that_acknowledges_what_it_delivers_fails() {
        queueContract(feed -> new ForwardingFeed(feed) {
                    @Override
                    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
                        FeedBatch batch = target.poll(limit, wait);
                        target.acknowledge(batch.items());
                        return batch;
                    }
                })
                .requireFailures(
                        "what_is_not_acknowledged_when_its_feed_closes_comes_again_in_order",
                        "what_is_no_event_comes_again_with_the_same_origin_when_its_feed_closes");
    }

    @Test
    void a_source_that_forgets_acknowledgements_fails() {
        queueContract(feed -> new ForwardingFeed(feed) {
                    @Override
                    public void acknowledge(Collection<FeedItem> items) {}
                })
                .requireFailures(
                        "what_is_acknowledged_does_not_come_again",
                        "what_is_no_event_comes_as_it_is_beside_the_events_and_not_again_when_acknowledged");
    }

    @Test
    void a_source_that_loses_what_is_no_event_fails() {
        queueContract(feed -> new ForwardingFeed(feed) {
                    @Override
                    public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
                        return FeedBatch.of(target.poll(limit, wait).items().stream()
                                .filter(FeedItem.Event.class::isInstance)
                                .toList());
                    }
                })
                .requireFailures("what_is_no_event_comes_as_it_is_beside_the_events_and_not_again_when_acknowledged");
    }

    private static ContractRun storeContract(String method, Answer<EventStore> answer) {
        return new ContractRun(
                EventStoreContract.class,
                () -> new StoreRun(store -> ContractBreakers.of(EventStore.class, store, method, answer)),
                storeLimit);
    }

    /** Opens a feed in another way. */
    private interface Opening {
        EventFeed open(EventSource source, FeedRequest request);
    }

    private static UnaryOperator<EventSource> opening(Opening opening) {
        Answer<EventSource> answer = (source, arguments) -> opening.open(source, (FeedRequest) arguments[0]);
        return source -> ContractBreakers.of(EventSource.class, source, Map.of("open", answer));
    }

    private static ContractRun openContract(Opening opening) {
        return new ContractRun(PositionedSourceContract.class, () -> new SourceRun(opening(opening)), sourceLimit);
    }

    private static ContractRun sourceContract(UnaryOperator<EventFeed> spoil) {
        return openContract((source, request) -> spoil.apply(source.open(request)));
    }

    private static ContractRun queueContract(UnaryOperator<EventFeed> spoil) {
        return new ContractRun(
                QueueSourceContract.class,
                () -> new QueueRun(opening((source, request) -> spoil.apply(source.open(request)))),
                queueLimit);
    }

    /** Does what another feed does. */
    private abstract static class ForwardingFeed implements EventFeed {
        final EventFeed target;

        ForwardingFeed(EventFeed target) {
            this.target = target;
        }

        @Override
        public FeedBatch poll(int limit, Duration wait) throws InterruptedException {
            return target.poll(limit, wait);
        }

        @Override
        public void acknowledge(Collection<FeedItem> items) {
            target.acknowledge(items);
        }

        @Override
        public void close() {
            target.close();
        }
    }

    private static final class StoreRun extends EventStoreContract {
        private final UnaryOperator<EventStore> spoil;

        StoreRun(UnaryOperator<EventStore> spoil) {
            this.spoil = spoil;
        }

        @Override
        protected EventStoreFixture createFixture() {
            return new InMemoryEventStoreFixture(spoil);
        }
    }

    private static final class SourceRun extends PositionedSourceContract {
        private final UnaryOperator<EventSource> spoil;

        SourceRun(UnaryOperator<EventSource> spoil) {
            this.spoil = spoil;
        }

        @Override
        protected EventSourceFixture createFixture() {
            return new InMemoryEventSourceFixture(spoil);
        }
    }

    private static final class QueueRun extends QueueSourceContract {
        private final UnaryOperator<EventSource> spoil;

        QueueRun(UnaryOperator<EventSource> spoil) {
            this.spoil = spoil;
        }

        @Override
        protected QueueSourceFixture createFixture() {
            return new QueueEventSourceFixture(spoil);
        }
    }
}
