/**
 * The kernel that every part of spream uses: the root of its exceptions, the exception of stores, the pauses between
 * attempts, the text of durations, and a hash of texts. The domain, the ports and the engine live in the packages below,
 * one a feature; start with {@code dev.spream.core.subscription.Subscriber}. Nothing here may depend on a framework, a
 * driver or a client library.
 */
@NullMarked
package dev.spream.core;

import org.jspecify.annotations.NullMarked;
