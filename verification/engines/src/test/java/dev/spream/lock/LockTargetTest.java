package dev.spream.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.testkit.memory.InMemoryLockStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Targets as people get to see them. */
final class LockTargetTest {
    private static final LockTarget ODD = LockTarget.account("u\n1", "\u001b[2Ja\u202e1");
    private static final String SHOWN = "u\\u000a1/\\u001b[2Ja\\u202e1";

    @Test
    void control_characters_are_escaped() {
        assertThat(ODD).hasToString(SHOWN);
        assertThat(LockRequest.shared(ODD)).hasToString(SHOWN + " (shared)");
        assertThat(LockTarget.account("Zoë/雪 ❄", "\\u0041")).hasToString("Zoë/雪 ❄/\\u0041");
    }

    @Test
    void a_target_with_an_empty_id_is_refused_in_one_line() {
        assertThatThrownBy(() -> LockTarget.of(List.of("u\n1", "")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the id at level 1 of [u\\u000a1, ] is empty");
    }

    @Test
    void failures_name_targets_in_one_line() throws Exception {
        try (InMemoryLockStore store = InMemoryLockStore.create();
                HierarchicalLocks<InMemoryLockStore.Transaction> locks = HierarchicalLocks.over(store);
                LockHandle held = locks.acquire(LockRequest.exclusive(ODD))) {
            assertThat(held.toString()).contains(SHOWN);
            assertThatThrownBy(() -> locks.acquire(LockRequest.exclusive(ODD), LockWait.NONE))
                    .isInstanceOf(LockBusyException.class)
                    .message()
                    .contains(SHOWN)
                    .doesNotContain("\n", "\u001b", "\u202e");
        }
    }
}
