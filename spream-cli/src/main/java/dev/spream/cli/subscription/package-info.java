/**
 * {@code tail} and {@code run}, which read a change stream, and the demo of {@code tail}. Start with {@link
 * dev.spream.cli.subscription.TailCommand} and {@link dev.spream.cli.subscription.RunCommand}.
 */
@NullMarked
package dev.spream.cli.subscription;

import org.jspecify.annotations.NullMarked;
