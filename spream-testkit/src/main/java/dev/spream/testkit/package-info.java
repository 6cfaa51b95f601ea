/**
 * The test kit of spream: what authors of plug-ins test with, and users their own code. Each port has a contract suite of
 * JUnit tests in a package of its own here: extend it, provide a fixture, and each test that fails says what the
 * implementation does not keep. {@code dev.spream.testkit.memory} has the ports in memory.
 */
@NullMarked
package dev.spream.testkit;

import org.jspecify.annotations.NullMarked;
