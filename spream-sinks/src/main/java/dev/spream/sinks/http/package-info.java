/**
 * HTTP with the JDK's client: the sink {@code webhook}, which posts changes, and the sender {@code http}, which sends
 * entries of an outbox. Read {@link dev.spream.sinks.http.HttpSender} first, which programs create with its builder;
 * {@link dev.spream.sinks.http.HttpSenderProvider} creates one from configuration.
 */
@NullMarked
package dev.spream.sinks.http;

import org.jspecify.annotations.NullMarked;
