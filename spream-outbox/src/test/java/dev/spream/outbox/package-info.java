/**
 * The contracts that every outbox keeps: {@link dev.spream.outbox.OutboxStoreContract}, {@link
 * dev.spream.outbox.OutboxContract}, {@link dev.spream.outbox.IdempotencyLedgerContract} and {@link
 * dev.spream.outbox.OutboxOperationsContract}, which authors of a store extend and provide an {@link
 * dev.spream.outbox.OutboxFixture} for; and {@link dev.spream.outbox.OutboxSenderContract} for those of a sender. The
 * contracts have tests of their own: they must fail for what does not keep them. Beside them are the tests of the worker.
 */
@NullMarked
package dev.spream.outbox;

import org.jspecify.annotations.NullMarked;
