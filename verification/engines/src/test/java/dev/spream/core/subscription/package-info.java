/**
 * The change stream engine over a scripted source and the in-memory storage: unit tests, and simulations of many processes.
 */
@NullMarked
package dev.spream.core.subscription;

import org.jspecify.annotations.NullMarked;
