/**
 * Faults that the simulations plant in the stores in memory.
 */
@NullMarked
package dev.spream.testkit.memory;

import org.jspecify.annotations.NullMarked;
