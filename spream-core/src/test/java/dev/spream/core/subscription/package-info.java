/**
 * Tests of the parts of the engine. The engine as a whole is tested in verification/engines, with the test kit.
 */
@NullMarked
package dev.spream.core.subscription;

import org.jspecify.annotations.NullMarked;
