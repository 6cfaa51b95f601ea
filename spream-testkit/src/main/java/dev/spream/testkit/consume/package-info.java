/**
 * The contracts of sinks and stores of dead letters, with changes and letters for tests. Start with {@link
 * dev.spream.testkit.consume.DeadLetterSinkContract} or {@link dev.spream.testkit.consume.DeadLetterStoreContract}.
 */
@NullMarked
package dev.spream.testkit.consume;

import org.jspecify.annotations.NullMarked;
