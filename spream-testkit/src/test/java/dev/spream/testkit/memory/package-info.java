/**
 * The stores in memory keep the contracts; and the contracts must fail for stores that do not keep them.
 */
@NullMarked
package dev.spream.testkit.memory;

import org.jspecify.annotations.NullMarked;
