/**
 * {@code outbox}: the commands for the entries of an outbox, and the command that runs its worker. Start with {@link
 * dev.spream.cli.outbox.OutboxCommand}.
 */
@NullMarked
package dev.spream.cli.outbox;

import org.jspecify.annotations.NullMarked;
