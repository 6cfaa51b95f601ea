/** Tests that the examples are what the documentation shows. */
@NullMarked
package dev.spream.examples;

import org.jspecify.annotations.NullMarked;
