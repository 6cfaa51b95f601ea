/**
 * The in-memory storage keeps the contract of partition storages, and the contract fails for storages that forget, round or tear.
 */
@NullMarked
package dev.spream.core.partition;

import org.jspecify.annotations.NullMarked;
