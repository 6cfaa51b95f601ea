/**
 * An order service on the outbox. {@link dev.spream.examples.order.OrderService} takes orders over HTTP and answers
 * each as soon as it is in PostgreSQL, together with the entry of the outbox that has it sent; a worker in the same
 * program sends it to a {@link dev.spream.examples.order.Broker}, which can be broken on purpose, and the ledger
 * answers repeated requests.
 */
@NullMarked
package dev.spream.examples.order;

import org.jspecify.annotations.NullMarked;
