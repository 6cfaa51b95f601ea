/** Fault injection into the processes of these tests, and waits for them. */
@NullMarked
package dev.spream.examples.fault;

import org.jspecify.annotations.NullMarked;
