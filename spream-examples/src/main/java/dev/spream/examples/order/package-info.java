/**
 * An order service on the outbox. {@link dev.spream.examples.order.OrderService} takes orders over HTTP and responds as
 * soon as the order is in PostgreSQL, together with its entry in the outbox; a worker in the same program sends it to a
 * {@link dev.spream.examples.order.Broker}, which can inject faults, and the ledger responds to repeated requests.
 */
@NullMarked
package dev.spream.examples.order;

import org.jspecify.annotations.NullMarked;
