/**
 * The contracts that every outbox keeps: {@link dev.spream.core.outbox.OutboxStoreContract}, {@link
 * dev.spream.core.outbox.OutboxContract}, {@link dev.spream.core.outbox.IdempotencyLedgerContract} and {@link
 * dev.spream.core.outbox.OutboxOperationsContract}, which authors of a store extend and provide an {@link
 * dev.spream.core.outbox.OutboxFixture} for; and {@link dev.spream.core.outbox.OutboxSenderContract} for those of a sender. The
 * contracts have tests of their own: they must fail for what does not keep them. Beside them are the tests of the worker.
 */
@NullMarked
package dev.spream.core.outbox;

import org.jspecify.annotations.NullMarked;
