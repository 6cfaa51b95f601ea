/**
 * Tests of the configuration. {@code TestKeys} holds the keys that they configure; no secret of a test may appear in
 * anything that is shown, which {@code SecrecyTest} asserts over all that there is.
 */
@NullMarked
package dev.spream.api.config;

import org.jspecify.annotations.NullMarked;
