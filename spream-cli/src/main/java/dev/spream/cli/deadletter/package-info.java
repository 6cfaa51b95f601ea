/**
 * {@code deadletters}: the commands for changes that could not be delivered. Start with
 * {@link dev.spream.cli.deadletter.DeadLettersCommand}.
 */
@NullMarked
package dev.spream.cli.deadletter;

import org.jspecify.annotations.NullMarked;
