/** The code of the guides in {@code docs/} that is no program of its own: compiled here, and run where it is a test. */
@NullMarked
package dev.spream.examples.guide;

import org.jspecify.annotations.NullMarked;
