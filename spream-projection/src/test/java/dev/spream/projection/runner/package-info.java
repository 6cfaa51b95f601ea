/**
 * Tests of the parts of projections. The manager over a store is tested in verification/engines, with the test kit.
 */
@NullMarked
package dev.spream.projection.runner;

import org.jspecify.annotations.NullMarked;
