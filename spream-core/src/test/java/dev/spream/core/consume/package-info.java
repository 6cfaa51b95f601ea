/**
 * Tests of what a consumer is given and what it may answer: keys, deliveries, failures and decisions. The engine that
 * calls consumers is tested elsewhere.
 */
@NullMarked
package dev.spream.core.consume;

import org.jspecify.annotations.NullMarked;
