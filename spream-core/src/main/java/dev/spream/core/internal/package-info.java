/**
 * Parts that the engines of several features share: time, signals, isolated listeners. Public for those packages
 * alone, and no part of spream's API. Uses nothing of the core but its root package.
 */
@NullMarked
package dev.spream.core.internal;

import org.jspecify.annotations.NullMarked;
