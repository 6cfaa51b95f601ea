/**
 * Tests of the parts of the outbox. The worker over a store is tested in verification/engines, with the test kit.
 */
@NullMarked
package dev.spream.outbox;

import org.jspecify.annotations.NullMarked;
