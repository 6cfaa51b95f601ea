/**
 * The front door for those who configure instead of wire: {@link dev.spream.api.Spream} runs a subscription whose source,
 * storage, sink and policies a {@link dev.spream.api.config.SpreamConfig} names. It sits on top of the four cores: the
 * ports live there, since they mention their types and their engines call them; here is how an implementation is found,
 * configured and wired.
 */
@NullMarked
package dev.spream.api;

import org.jspecify.annotations.NullMarked;
