/**
 * The outbox worker of an application: its senders, which are beans, and its life cycle. {@link
 * dev.spream.spring.outbox.OutboxWorkers} is the type to read first; the outbox itself is in the package {@code jdbc}.
 */
@NullMarked
package dev.spream.spring.outbox;

import org.jspecify.annotations.NullMarked;
