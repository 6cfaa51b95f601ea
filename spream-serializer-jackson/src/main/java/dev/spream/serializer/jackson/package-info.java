/**
 * {@link dev.spream.serializer.jackson.JacksonSerializer}: typed values as JSON by Jackson 3. Depends on Jackson and the
 * package {@code dev.spream.core.serialization} alone.
 */
@NullMarked
package dev.spream.serializer.jackson;

import org.jspecify.annotations.NullMarked;
