package dev.spream.outbox.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.spream.core.StorageException;
import dev.spream.core.internal.SafeListeners;
import dev.spream.outbox.OutboxOwner;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class StoreHealthTest {
    private final List<String> told = new ArrayList<>();
    private final StoreHealth calls =
            new StoreHealth(OutboxOwner.of("ann"), new SafeListeners<>(List.of(new OutboxListener() {
                @Override
                public void storeFailed(StorageException failure) {
                    told.add("failed");
                }

                @Override
                public void storeAnswered() {
                    told.add("answered");
                }
            })));

    @Test
    void a_success_of_any_operation_after_a_failure_is_told_once() {
        works("renewing leases");
        assertThat(told).isEmpty();
        fails("claiming entries");
        fails("claiming entries");
        works("renewing leases");
        works("renewing and claiming segments");
        assertThat(told).containsExactly("failed", "failed", "answered");
        fails("claiming entries");
        works("claiming entries");
        assertThat(told).endsWith("failed", "answered").hasSize(5);
    }

    private void works(String operation) {
        assertThat(calls.call(operation, () -> operation)).isEqualTo(operation);
    }

    private void fails(String operation) {
        assertThatThrownBy(() -> calls.call(operation, () -> {
                    throw new IllegalStateException("no connection");
                }))
                .isInstanceOf(StorageException.class);
    }
}
