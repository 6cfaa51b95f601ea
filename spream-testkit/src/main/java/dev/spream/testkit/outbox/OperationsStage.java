package dev.spream.testkit.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.ManualAct;
import dev.spream.outbox.ManualResult;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;

/** The stage that the parts of the contract of operations share: what is tested, and calls that many tests make. */
interface OperationsStage<T> extends OutboxScenario.Stage<T> {
    ManualAct ACT = new ManualAct("ann@example", "because");

    OutboxOperations operations();

    default OutboxRow row(String key) {
        return operations().find(key).orElseThrow();
    }

    default long id(String key) {
        return row(key).id();
    }

    default OutboxRow requireDone(ManualResult result) {
        assertThat(result).isInstanceOf(ManualResult.Done.class);
        OutboxRow after = ((ManualResult.Done) result).after();
        assertThat(operations().find(after.id())).contains(after);
        return after;
    }

    /** Refused, with a reason; and nothing was changed, nor put into the audit. */
    default void requireRefused(String key, ManualResult result, OutboxRow before) {
        assertThat(result).isInstanceOf(ManualResult.Refused.class);
        assertThat(((ManualResult.Refused) result).why()).isNotBlank();
        assertThat(((ManualResult.Refused) result).row()).isEqualTo(before);
        assertThat(row(key)).isEqualTo(before);
        assertThat(operations().audit(before.id())).isEmpty();
    }
}
