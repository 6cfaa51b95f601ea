/**
 * The front door of programs that configure instead of wire: {@link dev.spream.api.Spream} runs a subscription whose source,
 * storage, sink and policies a {@link dev.spream.api.config.SpreamConfig} names. Ports live in
 * the cores, plugs in the API: a port mentions the types of its core and is called by its engine. Here is how an implementation
 * is found, configured and wired.
 */
@NullMarked
package dev.spream.api;

import org.jspecify.annotations.NullMarked;
