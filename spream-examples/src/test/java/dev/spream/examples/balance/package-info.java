/**
 * The balance services under faults: {@link dev.spream.examples.balance.ProjectionFaultIT} runs them as processes of their own
 * and breaks all that can break, and {@link dev.spream.examples.balance.BalanceJudge} compares what they wrote with the events.
 */
@NullMarked
package dev.spream.examples.balance;

import org.jspecify.annotations.NullMarked;
