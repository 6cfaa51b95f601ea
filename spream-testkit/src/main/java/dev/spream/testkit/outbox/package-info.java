/**
 * The contracts of the outbox: {@link dev.spream.testkit.outbox.OutboxStoreContract}, {@link
 * dev.spream.testkit.outbox.OutboxContract}, {@link dev.spream.testkit.outbox.IdempotencyLedgerContract} and {@link
 * dev.spream.testkit.outbox.OutboxOperationsContract}, which authors of a store extend with an {@link
 * dev.spream.testkit.outbox.OutboxFixture}; and {@link dev.spream.testkit.outbox.OutboxSenderContract} for authors of a
 * sender.
 */
@NullMarked
package dev.spream.testkit.outbox;

import org.jspecify.annotations.NullMarked;
