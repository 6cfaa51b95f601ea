/**
 * The test kit of spream, for authors of plug-ins and for users that test their own code. Each port has a contract
 * suite of JUnit tests in a package of its own: extend it and provide a fixture; each failing test names the violated
 * rule of the contract. {@code dev.spream.testkit.memory} contains in-memory implementations of the ports.
 */
@NullMarked
package dev.spream.testkit;

import org.jspecify.annotations.NullMarked;
