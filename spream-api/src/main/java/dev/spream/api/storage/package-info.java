/**
 * The storage that comes with spream itself, for trying things out. Those that last are in modules of their own, because of
 * the clients that they need.
 */
@NullMarked
package dev.spream.api.storage;

import org.jspecify.annotations.NullMarked;
