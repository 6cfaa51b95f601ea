/** Tests of the engine, over a scripted source and the in-memory storage. */
@NullMarked
package dev.spream.core.subscription;

import org.jspecify.annotations.NullMarked;
