/**
 * What every part of spream shares: the root of its exceptions, the one that every store throws, the pauses between attempts, how
 * durations are written, and a hash of texts. The domain, the ports and the engine live in the packages below, one a feature; start with {@code
 * dev.spream.core.subscription.Subscriber}. Nothing here may depend on a framework, a driver or a client library.
 */
@NullMarked
package dev.spream.core;

import org.jspecify.annotations.NullMarked;
