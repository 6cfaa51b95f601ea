/**
 * The sender that comes with spream and needs nothing but the JDK: {@code http}, which sends entries of an outbox to a web
 * service. Read {@link dev.spream.api.sender.HttpSender} first, which programs use by its builder; {@link
 * dev.spream.api.sender.HttpSenderProvider} makes one from configuration. Senders of others are made in the same way.
 */
@NullMarked
package dev.spream.api.sender;

import org.jspecify.annotations.NullMarked;
