/**
 * The front door for those who configure instead of wire: {@link dev.spream.api.Spream} runs a subscription whose source,
 * storage, sink and policies a {@link dev.spream.api.config.SpreamConfig} names. It sits on top of {@code spream-core}: the
 * ports live there, since they mention its types and its engine calls them; here is how an implementation is found,
 * configured and wired.
 */
@NullMarked
package dev.spream.api;

import org.jspecify.annotations.NullMarked;
