package dev.spream.testkit.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.spream.outbox.OperatorAction;
import dev.spream.outbox.OperatorResult;
import dev.spream.outbox.OutboxOperations;
import dev.spream.outbox.OutboxRow;

/** The shared part of the contracts of operations: the object under test and common calls. */
interface OperationsStage<T> extends OutboxScenario.Stage<T> {
    OperatorAction ACT = new OperatorAction("ann@example", "because");

    OutboxOperations operations();

    default OutboxRow row(String key) {
        return operations().find(key).orElseThrow();
    }

    default long id(String key) {
        return row(key).id();
    }

    default OutboxRow requireDone(OperatorResult result) {
        assertThat(result).isInstanceOf(OperatorResult.Done.class);
        OutboxRow after = ((OperatorResult.Done) result).after();
        assertThat(operations().find(after.id())).contains(after);
        return after;
    }

    /** Requires that the change was refused with a reason, and that neither the entry nor the audit was changed. */
    default void requireRefused(String key, OperatorResult result, OutboxRow before) {
        assertThat(result).isInstanceOf(OperatorResult.Refused.class);
        assertThat(((OperatorResult.Refused) result).why()).isNotBlank();
        assertThat(((OperatorResult.Refused) result).row()).isEqualTo(before);
        assertThat(row(key)).isEqualTo(before);
        assertThat(operations().audit(before.id())).isEmpty();
    }
}
