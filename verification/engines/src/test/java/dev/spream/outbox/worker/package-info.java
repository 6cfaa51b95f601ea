/**
 * The outbox worker over the store in memory: unit tests, and simulations of many processes.
 */
@NullMarked
package dev.spream.outbox.worker;

import org.jspecify.annotations.NullMarked;
