/** The rules of the test kit. */
@NullMarked
package dev.spream.testkit;

import org.jspecify.annotations.NullMarked;
