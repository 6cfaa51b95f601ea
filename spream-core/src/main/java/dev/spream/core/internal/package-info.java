/**
 * Parts that the engines of several features share: time, waits that a signal ends, listeners that must not disturb. Public
 * for those packages alone, and no part of what spream promises. Uses nothing of the core but its root package.
 */
@NullMarked
package dev.spream.core.internal;

import org.jspecify.annotations.NullMarked;
