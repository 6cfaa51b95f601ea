package dev.spream.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.InstantSource;
import org.junit.jupiter.api.Test;

final class LockTurnsTest {
    private static final LockKey KEY = new LockKey(1, 7);
    private static final LockDeadline OVER = LockDeadline.start(LockWait.NONE, InstantSource.system());

    private final LockTurns turns = LockTurns.of(4); // one may wait for a lock

    @Test
    void a_call_has_its_place_from_when_it_was_refused() throws Exception {
        LockTurns.Turn waits = turns.next();
        LockTurns.Turn slow = turns.next();
        LockTurns.Turn quick = turns.next();
        assertThat(waits.enter(KEY)).isTrue();
        assertThat(slow.enter(KEY)).isFalse();
        assertThat(quick.enter(KEY)).isFalse();
        waits.leave();
        assertThat(quick.queue(KEY, OVER)).isFalse();
        assertThat(slow.queue(KEY, OVER)).isTrue();
        slow.leave();
        assertThat(quick.queue(KEY, OVER)).isTrue();
    }
}
