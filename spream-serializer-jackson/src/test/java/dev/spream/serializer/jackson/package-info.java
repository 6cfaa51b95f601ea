/** Tests of the serializer, and of the registry of types over it. */
@NullMarked
package dev.spream.serializer.jackson;

import org.jspecify.annotations.NullMarked;
