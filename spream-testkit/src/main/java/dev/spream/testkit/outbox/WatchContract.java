package dev.spream.testkit.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.OutboxOwner;
import dev.spream.outbox.OutboxStatus;
import dev.spream.outbox.OutboxStore;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The contract of watches: they are notified of a signal, or else of one that follows soon. */
interface WatchContract<T> extends OutboxScenario.Stage<T> {
    int TRIES = 100;

    @Test
    default void a_watcher_is_notified() throws Exception {
        assertTold(given().store());
    }

    @Test
    default void a_watcher_in_another_process_is_notified() throws Exception {
        assertTold(given().fixture().anotherStore());
    }

    private void assertTold(OutboxStore store) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        try (OutboxStore.Watch watch = store.watch(told::countDown)) {
            assertThat(watch).isNotNull();
            assertThat(signalUntil(told)).as("told of one of many signals").isTrue();
        }
    }

    private boolean signalUntil(CountDownLatch told) throws InterruptedException {
        boolean done = false;
        for (int i = 0; i < TRIES && !done; i++) {
            given().outbox().signal();
            done = told.await(200, TimeUnit.MILLISECONDS);
        }
        return done;
    }

    @Test
    default void an_ended_watch_is_not_notified() throws Exception {
        AtomicInteger told = new AtomicInteger();
        OutboxStore.Watch ended = given().store().watch(told::incrementAndGet);
        ended.close();
        ended.close();
        int before = told.get();
        assertTold(given().store());
        assertThat(told).hasValue(before);
    }

    @Test
    default void a_signal_without_a_watcher_is_ignored() {
        given().outbox().signal();
        given().outbox().signal();
        assertThat(given().store().expire(1)).isZero();
    }

    @Test
    default void closing_a_store_twice_is_harmless_and_leaves_claims_as_they_are() {
        OutboxOwner ann = OutboxScenario.ANN;
        given().claimed(ann, "a");
        OutboxStore closed = given().fixture().anotherStore();
        closed.close();
        closed.close();
        assertThat(given().status("a")).isEqualTo(OutboxStatus.SENDING);
        assertThat(given().claims(OutboxScenario.BOB)).isEmpty();
    }
}
