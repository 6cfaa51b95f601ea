/**
 * Stores in memory, for tests: outbox and ledger, projections, events and locks. They keep the contracts of the other
 * packages, take time from a clock that a test may move, and lose all data when the process ends.
 */
@NullMarked
package dev.spream.testkit.memory;

import org.jspecify.annotations.NullMarked;
