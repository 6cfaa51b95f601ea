/** What breaks the processes of these tests, and waits for them. */
@NullMarked
package dev.spream.examples.fault;

import org.jspecify.annotations.NullMarked;
