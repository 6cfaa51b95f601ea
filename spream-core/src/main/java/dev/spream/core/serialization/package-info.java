/**
 * Typed values as JSON text under a type name: the events of a store, the payloads of an outbox. Start with {@link
 * dev.spream.core.serialization.TypeRegistry}, which has the names, classes and older versions of types; {@link
 * dev.spream.core.serialization.JsonSerializer} is the port to a JSON library, and the only place where one is used.
 */
@NullMarked
package dev.spream.core.serialization;

import org.jspecify.annotations.NullMarked;
