/**
 * The built-in in-memory storage, for experiments. Persistent storages are separate modules because of their client
 * libraries.
 */
@NullMarked
package dev.spream.api.storage;

import org.jspecify.annotations.NullMarked;
