/**
 * The test kit of spream: for authors of plug-ins, and for users that test their own code. Each port has a contract
 * suite of JUnit tests in a package of its own: extend it and provide a fixture; each failing test names a promise that
 * the implementation breaks. {@code dev.spream.testkit.memory} has the ports in memory.
 */
@NullMarked
package dev.spream.testkit;

import org.jspecify.annotations.NullMarked;
