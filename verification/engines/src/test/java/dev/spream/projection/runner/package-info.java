/**
 * The projection manager over stores in memory: unit tests, and simulations of many processes.
 */
@NullMarked
package dev.spream.projection.runner;

import org.jspecify.annotations.NullMarked;
