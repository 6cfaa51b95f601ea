/**
 * Tests of the states of partitions. The lineage is tested in verification/engines, with the test kit.
 */
@NullMarked
package dev.spream.core.partition;

import org.jspecify.annotations.NullMarked;
