/**
 * The contracts of sinks and stores of dead letters, and changes and letters to test with. Start at {@link
 * dev.spream.testkit.consume.DeadLetterSinkContract} or {@link dev.spream.testkit.consume.DeadLetterStoreContract}.
 */
@NullMarked
package dev.spream.testkit.consume;

import org.jspecify.annotations.NullMarked;
