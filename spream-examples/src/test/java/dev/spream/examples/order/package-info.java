/**
 * The order service end to end, and under faults: {@link dev.spream.examples.order.OutboxFaultIT} runs services as processes
 * of their own and breaks all that can break, and {@link dev.spream.examples.order.FaultJudge} says what must hold then.
 */
@NullMarked
package dev.spream.examples.order;

import org.jspecify.annotations.NullMarked;
