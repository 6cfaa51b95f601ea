/**
 * Tests of plans, turns and texts of locks. The engine over a store is tested in verification/engines, with the test kit.
 */
@NullMarked
package dev.spream.lock;

import org.jspecify.annotations.NullMarked;
